import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { printableLine } from '@berth/text/printable'
import { alignColumns } from '../output/align-columns.ts'
import type { ReadOptions } from '../output/read-json.ts'
import type { Paint } from '../output/paint.ts'
import { secrets } from './brief-refs.ts'
import { readLeaders, readServerState, type ReportedLeader, type ReportedServer } from './reported-state.ts'
import { listTable, type KindRow, type KindTable } from './kind-table.ts'

/** The components that run the cluster. */
export interface ControlPanel {
  /** Undefined when this user may not ask the API server. */
  readonly apiServer: ReportedServer | undefined
  /** The components with leader election, by the Leases that they renew. */
  readonly leaders: readonly ReportedLeader[]
  readonly deployments: readonly KindRow[]
  readonly pods: readonly KindRow[]
  /** Names of the registry credentials in the namespace. Their contents are never read. */
  readonly pullSecrets: readonly KindRow[]
  /** File name -> text of the DNS server's configuration. */
  readonly dns: ReadonlyMap<string, string>
}

/**
 * Reads the control panel. Skips and reports what this user may not read.
 *
 * @param options.matching - Parts of namespaces or names, any of which makes an object belong to it. Undefined: by what
 * objects report about themselves, see {@link isControlObject}.
 */
export async function readControlPanel(
  client: ApiClient,
  options: ReadOptions & {
    readonly namespace: string | undefined
    readonly matching: readonly string[] | undefined
    readonly onMissing: (sentence: string) => void
  },
): Promise<ControlPanel> {
  const { namespace, matching, signal, deadline, onMissing } = options
  const orSkipped = async <T>(what: string, nothing: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (isApiStatus(error, 403)) onMissing(`${what} are skipped: ${error.serverMessage}`)
      else if (!isApiStatus(error, 404)) throw error
      return nothing
    }
  }
  const rowsOf = (resource: ResourceRef, query: { namespace: string | undefined; withObjects?: boolean }) =>
    orSkipped<Pick<KindTable, 'rows'>>(resource.plural, { rows: [] }, () =>
      listTable(client, resource, { ...query, signal, deadline }),
    )
  const read = { signal, deadline }
  const [apiServer, leaders, deployments, pods, pullSecrets, dns] = await Promise.all([
    readServerState(client, read),
    orSkipped<readonly ReportedLeader[]>('leases', [], () => readLeaders(client, read)),
    rowsOf(resourceRefs.deployments, { namespace: undefined }),
    rowsOf(resourceRefs.pods, { namespace: undefined }),
    rowsOf(secrets, { namespace, withObjects: false }),
    orSkipped('the settings of the DNS server', new Map<string, string>(), async () => {
      const name = { namespace: 'kube-system', name: 'coredns' }
      const map = await client.get<{ data?: Record<string, string> }>(resourceRefs.configMaps, name, { signal })
      return new Map(Object.entries(map.data ?? {}))
    }),
  ])
  const isPart = ({ object }: KindRow): boolean => {
    if (matching === undefined) return isControlObject(object, leaders)
    const name = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`
    return matching.some((part) => name.includes(part))
  }
  return {
    apiServer,
    leaders,
    deployments: deployments.rows.filter(isPart),
    pods: pods.rows.filter(isPart),
    pullSecrets: pullSecrets.rows.filter(({ cells }) => cells[1]?.startsWith('kubernetes.io/dockerc')),
    dns,
  }
}

/**
 * Returns whether an object runs a part of the control plane, by what it and its Leases report: kubeadm's tier label, the
 * label of the cluster's DNS, a chart's label, a role of controllers, or the pod that holds a Lease.
 */
function isControlObject({ metadata }: KubernetesObject, leaders: readonly ReportedLeader[]): boolean {
  const { namespace = '', name = '', labels = {} } = metadata ?? {}
  const component = labels['app.kubernetes.io/component'] ?? labels['control-plane'] ?? ''
  return (
    labels['tier'] === 'control-plane' ||
    labels['k8s-app'] === 'kube-dns' ||
    labels['app.kubernetes.io/name'] === 'berth' ||
    /controller|scheduler|webhook|extender/.test(component) ||
    leaders.some((leader) => leader.namespace === namespace && leader.isHeld && leader.holder.startsWith(name))
  )
}

/** Renders the control panel. */
export function controlText(panel: ControlPanel, paint: Paint): string {
  const lines = (title: string, rows: readonly KindRow[]): string[] => [
    paint('strong', title),
    ...(rows.length === 0
      ? ['none']
      : alignColumns(
          rows.map(({ object, cells }) => [object.metadata?.namespace ?? '', ...cells.slice(0, 5)].map(printableLine)),
        )),
    '',
  ]
  const dns = [...panel.dns].flatMap(([file, text]) => [
    `${file}:`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${printableLine(line)}`),
  ])
  const { apiServer, leaders } = panel
  const leaderRows = leaders.map(({ namespace, lease, holder, isHeld, renewed }) =>
    [namespace, lease, isHeld ? 'held' : 'expired', holder, renewed].map(printableLine),
  )
  return [
    paint('strong', 'CONTROL PANEL: API SERVER'),
    serverText(apiServer),
    '',
    paint('strong', 'CONTROL PANEL: LEADERS'),
    ...(leaderRows.length === 0 ? ['none'] : alignColumns(leaderRows)),
    '',
    ...lines('CONTROL PANEL: DEPLOYMENTS', panel.deployments),
    ...lines('CONTROL PANEL: PODS', panel.pods),
    ...lines('CONTROL PANEL: REGISTRY SECRETS', panel.pullSecrets),
    paint('strong', 'CONTROL PANEL: DNS'),
    ...(dns.length === 0 ? ['none'] : dns),
    '',
  ].join('\n')
}

function serverText(server: ReportedServer | undefined): string {
  if (server === undefined) return 'unknown: this user may not read /readyz'
  if (server.isReady) return 'ready'
  return printableLine(`not ready: ${server.failing.join(', ') || 'it gives no reason'}`)
}
