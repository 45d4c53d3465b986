# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.artifact_read_family import ArtifactReadFamily
from ...models.artifact_read_family import check_artifact_read_family
from ...models.artifact_revision import ArtifactRevision
from ...models.error_response import ErrorResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    scope_id: str,
    family: ArtifactReadFamily,
    artifact_id: str,
    *,
    if_none_match: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match



    

    

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/scopes/{scope_id}/artifacts/{family}/{artifact_id}".format(scope_id=quote(str(scope_id), safe=""),family=quote(str(family), safe=""),artifact_id=quote(str(artifact_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | ArtifactRevision | ErrorResponse | None:
    if response.status_code == 200:
        response_200 = ArtifactRevision.from_dict(response.json())



        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 401:
        response_401 = ErrorResponse.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = ErrorResponse.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = ErrorResponse.from_dict(response.json())



        return response_404

    if response.status_code == 422:
        response_422 = ErrorResponse.from_dict(response.json())



        return response_422

    if response.status_code == 500:
        response_500 = ErrorResponse.from_dict(response.json())



        return response_500

    if response.status_code == 503:
        response_503 = ErrorResponse.from_dict(response.json())



        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | ArtifactRevision | ErrorResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    scope_id: str,
    family: ArtifactReadFamily,
    artifact_id: str,
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,

) -> Response[Any | ArtifactRevision | ErrorResponse]:
    """ 
    Args:
        scope_id (str):
        family (ArtifactReadFamily):
        artifact_id (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | ArtifactRevision | ErrorResponse]
     """


    kwargs = _get_kwargs(
        scope_id=scope_id,
family=family,
artifact_id=artifact_id,
if_none_match=if_none_match,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    scope_id: str,
    family: ArtifactReadFamily,
    artifact_id: str,
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,

) -> Any | ArtifactRevision | ErrorResponse | None:
    """ 
    Args:
        scope_id (str):
        family (ArtifactReadFamily):
        artifact_id (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | ArtifactRevision | ErrorResponse
     """


    return sync_detailed(
        scope_id=scope_id,
family=family,
artifact_id=artifact_id,
client=client,
if_none_match=if_none_match,

    ).parsed

async def asyncio_detailed(
    scope_id: str,
    family: ArtifactReadFamily,
    artifact_id: str,
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,

) -> Response[Any | ArtifactRevision | ErrorResponse]:
    """ 
    Args:
        scope_id (str):
        family (ArtifactReadFamily):
        artifact_id (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | ArtifactRevision | ErrorResponse]
     """


    kwargs = _get_kwargs(
        scope_id=scope_id,
family=family,
artifact_id=artifact_id,
if_none_match=if_none_match,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    scope_id: str,
    family: ArtifactReadFamily,
    artifact_id: str,
    *,
    client: AuthenticatedClient | Client,
    if_none_match: str | Unset = UNSET,

) -> Any | ArtifactRevision | ErrorResponse | None:
    """ 
    Args:
        scope_id (str):
        family (ArtifactReadFamily):
        artifact_id (str):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | ArtifactRevision | ErrorResponse
     """


    return (await asyncio_detailed(
        scope_id=scope_id,
family=family,
artifact_id=artifact_id,
client=client,
if_none_match=if_none_match,

    )).parsed
