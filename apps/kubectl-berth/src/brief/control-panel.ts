import { isApiStatus, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject, Pod } from '@berth/types'
import { printableLine } from '@berth/text/printable'
import { fitRowsWithoutHeader } from '../output/fit-table.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import type { ReadOptions } from '../output/read-json.ts'
import type { Paint } from '../output/paint.ts'
import { controllerAccounts, controllerFacts } from '../extensions/api/custom-resources.ts'
import { placeOf, programsOf } from '../extensions/model/program.ts'
import { missingOf } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { secrets } from '../facts/resource-refs.ts'
import { objectPlace } from './brief-tree.ts'
import { readLeaders, readServerState, type ReportedLeader, type ReportedServer } from '../facts/reported-state.ts'
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
 * objects report about themselves, see {@link controlObjects}.
 * @param options.fallbackNamespace - The namespace of a user with rights in one namespace only.
 */
export async function readControlPanel(
  client: ApiClient,
  options: ReadOptions & {
    readonly namespace: string | undefined
    readonly fallbackNamespace: string
    readonly matching: readonly string[] | undefined
    readonly onMissing: (sentence: string) => void
  },
): Promise<ControlPanel> {
  const { namespace, fallbackNamespace, matching, signal, deadline, onMissing } = options
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
  const [apiServer, leaders, deployments, pods, pullSecrets, dns, accounts] = await Promise.all([
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
    matching === undefined ? readControllerAccounts(client, { ...read, namespace: fallbackNamespace, onMissing }) : [],
  ])
  const isControlObject = controlObjects({ leaders: leaders ?? [], pods: pods ?? [], accounts: new Set(accounts) })
  const isPart = ({ object }: KindRow): boolean => {
    if (matching === undefined) return isControlObject(object)
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

/** Returns the ServiceAccounts of the controllers of custom kinds, and reports what is missing from them. */
async function readControllerAccounts(
  client: ApiClient,
  { onMissing, ...options }: ReadOptions & { namespace: string; onMissing: (sentence: string) => void },
): Promise<Iterable<string>> {
  const { facts, unread } = await readFacts(controllerFacts, { client, ...options, findKubectlPlugins: async () => [] })
  for (const sentence of missingOf(controllerFacts, unread))
    onMissing(`Controllers of custom resources may be missing: ${sentence}`)
  return controllerAccounts(facts)
}

/** Signs of the components of a cluster, besides the labels of their objects. */
interface ComponentSigns {
  readonly leaders: readonly ReportedLeader[]
  readonly pods: readonly KindRow[]
  /** ServiceAccounts of controllers, as `namespace/name`. */
  readonly accounts: ReadonlySet<string>
}

/**
 * Returns a function that says whether a pod or a Deployment runs a part of the control plane, by what it reports: kubeadm's
 * tier label, the label of the cluster's DNS, a chart's label, a role of controllers, a pod that holds a Lease, or a
 * ServiceAccount that may write the status of a custom kind.
 */
function controlObjects({ leaders, pods, accounts }: ComponentSigns): (object: KubernetesObject) => boolean {
  const held = leaders.filter(({ isHeld }) => isHeld)
  const leading = pods.flatMap(({ object }) => {
    const { namespace = '', name = '' } = object.metadata ?? {}
    return held.some((leader) => leader.namespace === namespace && isHolder(leader, name)) ? (object as Pod) : []
  })
  const places = new Set([
    ...leading.map((pod) => `Pod ${placeOf(pod)}`),
    ...programsOf(leading).map(({ name }) => name),
  ])
  return (object) => {
    const { labels = {}, namespace = '' } = object.metadata ?? {}
    const component = labels['app.kubernetes.io/component'] ?? labels['control-plane'] ?? ''
    const account = accountOf(object)
    return (
      labels['tier'] === 'control-plane' ||
      labels['k8s-app'] === 'kube-dns' ||
      labels['app.kubernetes.io/name'] === 'berth' ||
      /controller|scheduler|webhook|extender/.test(component) ||
      places.has(`${object.kind ?? ''} ${objectPlace(object)}`) ||
      (account !== undefined && accounts.has(`${namespace}/${account}`))
    )
  }
}

/** A holder has the name of its pod, and most have a suffix after it: `controller-5d-x_1`. */
function isHolder({ holder }: ReportedLeader, pod: string): boolean {
  return holder === pod || (holder.startsWith(pod) && !/^[a-z0-9]/.test(holder.slice(pod.length)))
}

/** Returns the ServiceAccount of a pod or a Deployment; undefined for `default`, which pods of all kinds have. */
function accountOf(object: KubernetesObject): string | undefined {
  const { spec } = object as { readonly spec?: AccountSpec & { readonly template?: { readonly spec?: AccountSpec } } }
  const name = (spec?.template?.spec ?? spec)?.serviceAccountName
  return name === 'default' ? undefined : name
}

interface AccountSpec {
  readonly serviceAccountName?: string
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
