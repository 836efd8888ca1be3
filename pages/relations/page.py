"""Relations"""
import streamlit as st
st.title("Relations")
