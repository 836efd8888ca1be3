"""Latent language: which language do the layers tell?"""
