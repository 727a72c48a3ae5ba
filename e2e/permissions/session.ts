import { resourceRefs, type Cluster, type ResourceRef } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { Pod, PodSpec } from '@berth/types'
import { readFileSync } from 'node:fs'
import { parseAuditLog, type AuditedRequest } from '../cluster/audit-log.ts'
import { permissionOf } from '../cluster/used-permissions.ts'
import type { Account } from '../real-api-server/chart-accounts.ts'
import type { InstalledChart } from '../real-api-server/install-chart-objects.ts'
import type { RealApiServer } from '../real-api-server/real-api-server.ts'

/** The resource of the test, of which the node has one unit. */
export const SEAT = 'example.com/seat'
/** Namespace of the installation. */
export const NAMESPACE = 'berth-system'

/** Returns a resource type. */
export const ref = (group: string, plural: string, kind: string, namespaced: boolean, version = 'v1'): ResourceRef => ({
  group,
  version,
  plural,
  kind,
  namespaced,
})

/** One installation of the chart on one API server, whose requests are audited. */
export interface Session {
  readonly server: RealApiServer
  readonly dir: string
  readonly auditLog: string
  readonly installed: InstalledChart
  readonly admin: Cluster
}

/** Polls until the result is defined. */
export const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
  eventually(look, { what, timeoutMs: 60_000, intervalMs: 150, signal: new AbortController().signal })

/** Creates a pod with one container. Default: it requests one seat. */
export async function createPod(
  { admin }: Session,
  name: string,
  spec: Partial<PodSpec>,
  {
    limits = { [SEAT]: '1' },
    labels = {},
  }: Partial<Record<'limits' | 'labels', Readonly<Record<string, string>>>> = {},
): Promise<void> {
  const containers = [{ name: 'main', image: 'none', resources: { limits } }]
  await admin.client.create<Pod>(resourceRefs.pods, {
    metadata: { namespace: NAMESPACE, name, labels: { app: name, ...labels } },
    spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
  })
}

/** Waits until a scheduler has refused a pod. */
export function untilRefused({ admin }: Session, name: string): Promise<unknown> {
  return until(`${name} to be refused`, async () => {
    const pod = await admin.client.get<Pod>(resourceRefs.pods, { namespace: NAMESPACE, name })
    return pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  })
}

/** Returns the account that sent a request. */
export const accountOf = ({ user }: AuditedRequest): string => user.username.split(':').at(-1) ?? ''

/** Returns a check whether an account has used a permission. */
export function isUsed({ auditLog }: Session, account: Account, permission: string): () => boolean {
  return () =>
    parseAuditLog(readFileSync(auditLog, 'utf8')).some(
      (request) => accountOf(request) === account && permissionOf(request) === permission,
    )
}

/** Waits until an account has used a permission. */
export function untilAudited({ auditLog }: Session, account: Account, permission: string): Promise<AuditedRequest> {
  return until(`${account}: ${permission}`, async () =>
    parseAuditLog(readFileSync(auditLog, 'utf8')).find(
      (request) => accountOf(request) === account && permissionOf(request) === permission,
    ),
  )
}
