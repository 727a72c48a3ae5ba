import { counted } from '@berth/text/counted'
import { pemCertificates } from '@berth/process/certificates'
import type { CalledServer, EndpointSlice } from '../../facts/fact-kinds.ts'
import type { ExtensionHealth } from './extension.ts'
import type { SurveyContext } from './survey.ts'

/** State of a server that the control plane calls. */
export interface ServerState {
  readonly health: ExtensionHealth
  readonly evidence: readonly string[]
}

/** Returns the number of ready endpoints of a Service; undefined when it has no EndpointSlice. */
function readyEndpoints(
  slices: readonly EndpointSlice[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): number | undefined {
  const own = slices.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === name,
  )
  if (own.length === 0) return undefined
  const endpoints = own.flatMap((slice) => slice.endpoints ?? [])
  // An absent condition counts as ready, as for kube-proxy.
  return endpoints.filter(({ conditions }) => conditions?.ready !== false).length
}

/** Says whether a Service has ready endpoints. */
export function serviceState(
  slices: readonly EndpointSlice[],
  service: { readonly namespace: string; readonly name: string },
  { unread }: Pick<SurveyContext, 'unread'>,
): ServerState {
  const place = `${service.namespace}/${service.name}`
  const ready = readyEndpoints(slices, service)
  if (ready === undefined && unread.has('endpointSlices'))
    return { health: 'unknown', evidence: [`The endpoints of Service ${place} could not be read.`] }
  if (ready === undefined || ready === 0)
    return { health: 'unhealthy', evidence: [`Service ${place} has no ready endpoint.`] }
  return { health: 'healthy', evidence: [`Service ${place} has ${counted(ready, 'ready endpoint')}.`] }
}

/** Says whether the API server can call a server: its endpoints, and the dates of the CA that it trusts. */
export function calledServerState(
  { url, service, caBundle }: CalledServer,
  slices: readonly EndpointSlice[],
  context: SurveyContext,
): ServerState {
  const called: ServerState =
    service === undefined
      ? {
          health: 'unknown',
          evidence: [`It is called at ${url ?? 'no address'}, which only the API server can check.`],
        }
      : serviceState(slices, service, context)
  const expired = caBundle === undefined ? undefined : expiredAuthority(caBundle, context.nowMs)
  return expired === undefined ? called : { health: 'unhealthy', evidence: [...called.evidence, expired] }
}

function expiredAuthority(caBundle: string, nowMs: number): string | undefined {
  const certificates = pemCertificates(Buffer.from(caBundle, 'base64').toString('utf8'))
  const last = certificates.toSorted((a, b) => b.validToDate.getTime() - a.validToDate.getTime())[0]
  return last !== undefined && last.validToDate.getTime() < nowMs
    ? `Its CA bundle expired on ${last.validToDate.toISOString()}.`
    : undefined
}
