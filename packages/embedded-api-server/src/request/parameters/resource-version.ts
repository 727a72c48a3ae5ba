import { expired, invalidOptions, tooLargeResourceVersion, untypedError } from '../../schema/status/api-errors.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'

/** Parses a resourceVersion parameter; undefined when it is absent. */
export function parseResourceVersion(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) {
    throw untypedError(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  return Number(text)
}

/** Refuses invalid combinations of list parameters, as upstream's ValidateListOptions (v1.36). */
export function validateListOptions(request: ResourceRequest, isWatch: boolean): void {
  const { query } = request
  const match = query.get('resourceVersionMatch') ?? ''
  const version = query.get('resourceVersion') ?? ''
  const sendsInitialEvents = query.get('sendInitialEvents')
  const forbidden = (why: string): StatusCause => fieldError.forbidden('resourceVersionMatch', why)
  const causes: StatusCause[] = []
  if (sendsInitialEvents !== null) {
    if (!isWatch) causes.push(fieldError.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
    else if (match !== 'NotOlderThan')
      causes.push(forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  } else if (match !== '') {
    if (isWatch)
      causes.push(forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
    if (version === '') causes.push(forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'))
    if ((query.get('continue') ?? '') !== '')
      causes.push(forbidden('resourceVersionMatch is forbidden when continue is provided'))
    if (match !== 'Exact' && match !== 'NotOlderThan')
      causes.push(fieldError.notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && version === '0')
      causes.push(forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  }
  if (causes.length > 0) throw invalidOptions('ListOptions', causes)
}

/** Refuses a revision in the future. */
export function requireNotInFuture(requested: number | undefined, current: number): void {
  if (requested !== undefined && requested > current) throw tooLargeResourceVersion(requested, current)
}

/** Returns a 410 for a revision that the history does not reach back to. */
export function tooOldResourceVersion(requested: number, oldest: number): ReturnType<typeof expired> {
  return expired(`too old resource version: ${requested} (${oldest})`)
}
