import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { printableLine } from '@berth/text/printable'
import { fitRowsWithoutHeader } from '../output/fit-table.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { ReadOptions } from '../output/read-json.ts'
import type { Paint } from '../output/paint.ts'
import { secrets } from './brief-refs.ts'
import { readLeaders, readServerState, type ReportedLeader, type ReportedServer } from './reported-state.ts'
import { listTable, type KindRow } from './kind-table.ts'

/** The components that run the cluster. A list that this user may not read is undefined. */
export interface ControlPanel {
  /** Undefined when this user may not ask the API server. */
  readonly apiServer: ReportedServer | undefined
  /** The components with leader election, by the Leases that they renew. */
  readonly leaders: readonly ReportedLeader[] | undefined
  readonly deployments: readonly KindRow[] | undefined
  readonly pods: readonly KindRow[] | undefined
  /** Names of the registry credentials in the namespace. Their contents are never read. */
  readonly pullSecrets: readonly KindRow[] | undefined
  /** File name -> text of the DNS server's configuration. */
  readonly dns: ReadonlyMap<string, string> | undefined
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
  const orSkipped = async <T>(what: string, nothing: T, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (isApiStatus(error, 404)) return nothing
      if (!isApiStatus(error, 403)) throw error
      onMissing(`${what} are skipped: ${error.serverMessage}`)
      return undefined
    }
  }
  const rowsOf = (resource: ResourceRef, query: { namespace: string | undefined; withObjects?: boolean }) =>
    orSkipped<readonly KindRow[]>(
      resource.plural,
      [],
      async () => (await listTable(client, resource, { ...query, signal, deadline })).rows,
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
    if (matching === undefined) return isControlObject(object, leaders ?? [])
    const name = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`
    return matching.some((part) => name.includes(part))
  }
  return {
    apiServer,
    leaders,
    deployments: deployments?.filter(isPart),
    pods: pods?.filter(isPart),
    pullSecrets: pullSecrets?.filter(({ cells }) => cells[1]?.startsWith('kubernetes.io/dockerc')),
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

/** Options of {@link controlText}. */
export interface ControlTextOptions {
  readonly paint: Paint
  /** Width into which sentences are wrapped. */
  readonly columns: number
  /** Width into which tables fit. */
  readonly tableColumns: number
}

/** Renders the control panel. */
export function controlText(panel: ControlPanel, { paint, columns, tableColumns }: ControlTextOptions): string {
  const { apiServer, leaders, deployments, pods, pullSecrets, dns } = panel
  const section = (title: string, forbidden: string, lines: readonly string[] | undefined): readonly string[] => [
    paint('strong', `CONTROL PANEL: ${title}`),
    ...(lines === undefined ? wrapSentence(`unknown: this user may not ${forbidden}`, columns) : orNone(lines)),
    '',
  ]
  const table = (rows: readonly KindRow[] | undefined): readonly string[] | undefined =>
    rows && fitted(rows.map(({ object, cells }) => [object.metadata?.namespace ?? '', ...cells.slice(0, 5)]))
  const fitted = (rows: readonly (readonly string[])[]): readonly string[] =>
    fitRowsWithoutHeader(
      rows.map((cells) => cells.map(printableLine)),
      tableColumns,
    )
  return [
    ...section('API SERVER', 'read /readyz', apiServer && wrapSentence(serverText(apiServer), columns)),
    ...section('LEADERS', 'list leases', leaders && fitted(leaders.map(leaderCells))),
    ...section('DEPLOYMENTS', 'list deployments', table(deployments)),
    ...section('PODS', 'list pods', table(pods)),
    ...section('REGISTRY SECRETS', 'list secrets', table(pullSecrets)),
    ...section('DNS', 'read configmap kube-system/coredns', dns && dnsLines(dns)),
  ].join('\n')
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['none'] : lines
}

function leaderCells({ namespace, lease, holder, isHeld, renewed }: ReportedLeader): readonly string[] {
  return [namespace, lease, isHeld ? 'held' : 'expired', holder, renewed]
}

function dnsLines(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([file, text]) => [
    `${file}:`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${printableLine(line)}`),
  ])
}

function serverText(server: ReportedServer): string {
  if (server.isReady) return 'ready'
  return `not ready: ${server.failing.join(', ') || 'it gives no reason'}`
}
