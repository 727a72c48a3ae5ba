import { notAcceptable } from '../../schema/status/api-errors.ts'

/** The form of the objects in a response. */
export type Presentation = 'object' | 'table' | 'metadata'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const ACCEPTED = [
  'application/json',
  'application/yaml',
  PROTOBUF,
  'application/json;stream=watch',
  `${PROTOBUF};stream=watch`,
]

/**
 * Returns the first supported form in the Accept header. Protobuf and CBOR are not served; clients that prefer them name
 * JSON as an alternative.
 *
 * @throws BERTH_SIMULATOR_REFUSED (406) when the server supports none of the media types.
 */
export function negotiate(accept: string | undefined): Presentation {
  const ranges = (accept ?? '')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
  if (ranges.length === 0) return 'object'
  for (const range of ranges) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3)
    if (as === undefined) return 'object'
    if (!parameters.includes('g=meta.k8s.io') || !parameters.includes('v=v1')) continue
    if (as === 'Table') return 'table'
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata'
  }
  throw notAcceptable(ACCEPTED)
}
