import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Lease } from '@berth/types'
import { readPage, type ReadOptions } from '../output/read-json.ts'
import { isHeld, renewedText } from '../leases/lease-state.ts'

/** Namespace of the Leases that kubelets renew, one for each node. */
const NODE_LEASES = 'kube-node-lease'

/** A component that holds a Lease, or held one. */
export interface ReportedLeader {
  readonly namespace: string
  readonly lease: string
  readonly holder: string
  readonly isHeld: boolean
  /** When the Lease was renewed: `renewed 3s ago`. */
  readonly renewed: string
}

/** State that the API server reports about itself. */
export interface ReportedServer {
  readonly isReady: boolean
  /** The checks that fail, without the reasons, which the server withholds. */
  readonly failing: readonly string[]
  readonly passing: readonly string[]
}

/**
 * Reads who leads: every component with leader election, whatever its name, sorted. Leases of nodes are left out.
 *
 * @throws ApiError, TransportError
 */
export async function readLeaders(
  client: Pick<ApiClient, 'list'>,
  { signal, deadline }: ReadOptions,
): Promise<readonly ReportedLeader[]> {
  const { items } = await client.list<Lease>(resourceRefs.leases, { signal, deadlineMs: deadline.ms })
  // The wall clock, because renew times are.
  const nowMs = deadline.clock.now()
  return items
    .filter(({ metadata }) => metadata.namespace !== NODE_LEASES)
    .map((lease) => ({
      namespace: lease.metadata.namespace ?? '',
      lease: lease.metadata.name ?? '',
      holder: lease.spec?.holderIdentity ?? '',
      isHeld: isHeld(lease, nowMs),
      renewed: renewedText(lease, nowMs),
    }))
    .toSorted((a, b) => (`${a.namespace}/${a.lease}` < `${b.namespace}/${b.lease}` ? -1 : 1))
}

/** Reads whether the API server is ready, and which of its checks fail. Undefined when this user may not ask. */
export async function readServerState(
  client: Pick<ApiClient, 'raw'>,
  options: ReadOptions,
): Promise<ReportedServer | undefined> {
  const { status, text } = await readPage(client, '/readyz?verbose', { ...options, accept: '*/*' })
  if (status === 401 || status === 403 || status === 404) return undefined
  const checks = (sign: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(sign.length).split(' ')[0] ?? ''] : []))
  return { isReady: status === 200, failing: checks('[-]'), passing: checks('[+]') }
}
