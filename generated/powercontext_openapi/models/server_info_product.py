# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

ServerInfoProduct = Literal['powercontext']

SERVER_INFO_PRODUCT_VALUES: set[ServerInfoProduct] = { 'powercontext',  }

def check_server_info_product(value: str) -> ServerInfoProduct:
    if value in SERVER_INFO_PRODUCT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SERVER_INFO_PRODUCT_VALUES!r}")
