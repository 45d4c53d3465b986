# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.

""" A client library for accessing PowerContext API """
from .client import AuthenticatedClient, Client

__all__ = (
    "AuthenticatedClient",
    "Client",
)
