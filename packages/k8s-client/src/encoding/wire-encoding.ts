import type { Logger } from '@berth/types'

/** The encoding of objects on the wire. */
export type WireEncoding = 'json' | 'protobuf'

/** The media types of Kubernetes' encodings. */
export const MEDIA_TYPES: Readonly<Record<WireEncoding, string>> = {
  json: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
}

/** The Accept header of a request. A server without protobuf answers in JSON. */
export const ACCEPT: Readonly<Record<WireEncoding, string>> = {
  json: MEDIA_TYPES.json,
  protobuf: `${MEDIA_TYPES.protobuf},${MEDIA_TYPES.json}`,
}

/** The Accept header of a request whose response may be reduced to the metadata of the object. */
export const ACCEPT_METADATA: string = `${MEDIA_TYPES.json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${MEDIA_TYPES.json}`

/** The encodings that the server supports, as all calls and mirrors of a cluster know them. */
export interface EncodingSupport {
  /** The encoding of requests for which there is a choice. Once JSON, it stays JSON. */
  preferred: WireEncoding
}

/**
 * Returns whether a server or a proxy refused a request because of its encoding: 406 for the response, 415 for the body.
 */
export function isEncodingRefused(httpStatus: number): boolean {
  return httpStatus === 406 || httpStatus === 415
}

/** Uses JSON from now on, after the server refused protobuf. */
export function disableProtobuf(encoding: EncodingSupport, httpStatus: number, log: Logger): void {
  if (encoding.preferred === 'protobuf') log.info({ status: httpStatus }, 'The API server refuses protobuf; using JSON')
  encoding.preferred = 'json'
}

/** Returns whether a response is in protobuf, by its Content-Type. */
export function isProtobuf(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith(MEDIA_TYPES.protobuf) === true
}
