# The dashboard, and with another command a worker; docs/sharing.md says how they go together.
# docker build -t isogloss .   Without a GPU, a smaller image: --build-arg TORCH_INDEX=… with PyTorch's index of CPU wheels.
FROM python:3.11-slim-bookworm

# Chromium draws PDF, PNG and SVG; the fonts write what the languages of corpora are written in.
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 10001 isogloss && install -d -o isogloss -g isogloss /workspace
WORKDIR /app

# Beside the usual index; +cpu is the newer of two answers to torch==2.13.0.
ARG TORCH_INDEX=
COPY requirements.txt .
RUN pip install --no-cache-dir --use-pep517 ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r requirements.txt

COPY app.py pyproject.toml LICENSE README.md ./
COPY isogloss isogloss
COPY .streamlit/config.toml .streamlit/config.toml
COPY backend backend
COPY pages pages
COPY cache/demo cache/demo

ENV ISOGLOSS_WORKSPACE=/workspace HF_HOME=/workspace/huggingface PYTHONUNBUFFERED=1
USER isogloss
VOLUME /workspace
EXPOSE 8501
HEALTHCHECK --start-period=60s --interval=30s --timeout=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=8)"]
# Within the container alone: what is published to whom is for whoever runs it to say.
CMD ["streamlit", "run", "app.py", "--server.address", "0.0.0.0"]
