# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
""" Contains endpoint functions for accessing the API """
