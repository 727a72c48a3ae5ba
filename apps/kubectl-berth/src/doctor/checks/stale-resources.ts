import { listNames } from '@berth/text/list-names'
import { resourceRefs } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import { isDnsSubdomain, type Node, validateExtendedResourceName } from '@berth/types'
import { declaredResources } from '../../extensions/model/declared-resources.ts'
import { devicePluginPrograms } from '../../extensions/model/device-plugin-programs.ts'
import type { Program } from '../../extensions/model/program.ts'
import { resourceHolders } from '../../facts/resource-holders.ts'
import { offeredResources, type OfferedResource } from '../../facts/offered-resources.ts'
import { check, type Finding, type TrialPatch } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'
import { readingFix } from '../model/reading-fix.ts'

/** Nodes for which commands are printed. */
const MAX_NODES = 5

/** Whether nodes list extended resources that nothing offers any more. */
export const staleResources = check({
  id: 'stale-resources',
  title: 'Nodes list only resources that something offers',
  needs: ['nodes', 'pods', 'daemonSets', 'csiDrivers', 'resourceSlices'],
  run({ nodes, pods, daemonSets, csiDrivers, resourceSlices }, { unread }) {
    const plugins = devicePluginPrograms(pods, csiDrivers, resourceSlices)
    const declared = new Set(
      plugins.flatMap(({ name, pods: members }) =>
        (declaredResources(name, daemonSets) ?? []).flatMap((resourceName) =>
          members.map(({ spec }) => `${spec.nodeName ?? ''} ${resourceName}`),
        ),
      ),
    )
    const isDeclared = ({ resourceName, node }: OfferedResource): boolean => declared.has(`${node} ${resourceName}`)
    const holders = resourceHolders(pods)
    const rows = offeredResources(nodes)
    // Without the pods, a name could be in use or belong to a plugin that is not seen.
    const judged = unread.has('pods') || unread.has('daemonSets') ? [] : rows.filter((row) => !isDeclared(row))
    const byName = Map.groupBy(judged, ({ resourceName }) => resourceName)
    return {
      examined: [...new Set(rows.map(({ resourceName }) => resourceName))].toSorted().map((name) => `${name}.`),
      findings: [...byName].flatMap(([name, offered]) => {
        const zero = offered.filter(({ capacity, allocatable }) => capacity === 0n && allocatable === 0n)
        const lost = offered.filter(({ capacity, allocatable }) => capacity > 0n && allocatable === 0n)
        return [
          ...(zero.length > 0 && !holders.has(name) ? [leftover(name, zero, nodes, plugins)] : []),
          ...(lost.length > 0 ? [withoutPlugin(name, lost, plugins)] : []),
        ]
      }),
    }
  },
})

/** Returns the programs with a pod on one of the nodes. */
function programsNear(rows: readonly OfferedResource[], plugins: readonly Program[]): readonly Program[] {
  const nodes = new Set(rows.map(({ node }) => node))
  return plugins.filter(({ pods }) => pods.some(({ spec }) => nodes.has(spec.nodeName ?? '')))
}

function leftover(
  name: string,
  rows: readonly OfferedResource[],
  nodes: readonly Node[],
  plugins: readonly Program[],
): Finding {
  const shown = rows.slice(0, MAX_NODES).map(({ node }) => node)
  const trials = shown.flatMap((node) => removal(node, name, nodes) ?? [])
  const near = programsNear(rows, plugins)
  return {
    severity: 'warning',
    sentence: `${name} is listed with 0 units by ${nodesText(rows)}, and nothing declares it.`,
    evidence: [
      'No pod with a node requests it.',
      near.length === 0
        ? 'No device plugin runs there.'
        : `Device plugins that do not declare their resources run there: ${near.map((plugin) => plugin.name).join(', ')}. One of them may offer it again later.`,
    ],
    fix: {
      sentence: `Remove the name from the status of ${rows.length > MAX_NODES ? `each node; here for ${MAX_NODES} of ${rows.length}` : 'the nodes'}. The advertiser does this by itself with clearStaleZeros.`,
      commands: trials.map(({ target, body }) =>
        shellCommand(
          'kubectl',
          'patch',
          'node',
          target.name,
          '--subresource=status',
          '--type=json',
          '-p',
          JSON.stringify(body),
        ),
      ),
      safety: 'The command changes nothing if the node has units by then: it tests for 0 first.',
      trials,
    },
  }
}

/** Removes a name with 0 units. The tests make the API server refuse the patch once there are units. */
function removal(node: string, name: string, nodes: readonly Node[]): TrialPatch | undefined {
  if (!isDnsSubdomain(node) || validateExtendedResourceName(name) !== undefined) return undefined
  const { status } = nodes.find(({ metadata }) => metadata.name === node) ?? {}
  const body = (['capacity', 'allocatable'] as const).flatMap((list) => {
    const value = status?.[list]?.[name]
    const path = `/status/${list}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return value === undefined
      ? []
      : [
          { op: 'test', path, value },
          { op: 'remove', path },
        ]
  })
  return { resource: resourceRefs.nodes, target: { name: node }, type: 'json', subresource: 'status', body }
}

function withoutPlugin(name: string, rows: readonly OfferedResource[], plugins: readonly Program[]): Finding {
  const [first] = rows
  const node = first?.node ?? ''
  const near = programsNear(rows, plugins)
  return {
    severity: 'problem',
    sentence: `No unit of ${name} is allocatable on ${nodesText(rows)}.`,
    evidence: [
      'The kubelet sets allocatable to 0 when it loses the connection to a device plugin, or when every device is unhealthy.',
      near.length === 0
        ? 'No device plugin runs there.'
        : `Device plugins on these nodes: ${near.map((plugin) => plugin.name).join(', ')}.`,
    ],
    fix: readingFix(
      'Start the device plugin again, or repair its devices.',
      kubectlCommand([node], 'get', 'pods', '-A', '--field-selector', `spec.nodeName=${node}`),
    ),
  }
}

function nodesText(rows: readonly OfferedResource[]): string {
  const names = rows.map(({ node }) => node)
  return `${names.length === 1 ? 'node' : 'nodes'} ${listNames(names, MAX_NODES)}`
}
