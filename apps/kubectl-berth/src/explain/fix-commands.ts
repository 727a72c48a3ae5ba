import type { Fix } from '@berth/fit-engine'
import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { shownAmount } from '../output/shown-amount.ts'

/** Node annotation that lists the resources that Berth's advertiser wrote. */
const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

/** The pod and its surroundings to which a fix is applied. */
export interface FixTarget {
  readonly pod: Pod
  /** `deployment/web`: the workload that created the pod; undefined for a pod without one. */
  readonly workload: string | undefined
  /** The manifest from which the pod was read; undefined when the pod is in the cluster. */
  readonly file: string | undefined
  readonly nodeOf: (name: string) => Node | undefined
}

/** Instructions for applying a fix: shell commands, or a note when no command can do it. */
export interface FixRecipe {
  readonly commands: readonly string[]
  readonly note?: string
}

/** Returns the commands that apply a fix. */
export function fixRecipe(fix: Fix, target: FixTarget): FixRecipe {
  switch (fix.kind) {
    case 'lower-request':
      return lowerRequest(fix.changes, target)
    case 'evict': {
      const byNamespace = Map.groupBy(fix.pods, ({ namespace }) => namespace)
      return {
        commands: [...byNamespace].map(
          ([namespace, pods]) => `kubectl delete pod ${pods.map(({ name }) => name).join(' ')} -n ${namespace}`,
        ),
      }
    }
    case 'add-capacity':
      return addCapacity(fix.node, fix.additions, target)
  }
}

type RequestChange = Extract<Fix, { kind: 'lower-request' }>['changes'][number]
type Addition = Extract<Fix, { kind: 'add-capacity' }>['additions'][number]

function lowerRequest(changes: readonly RequestChange[], { pod, workload, file }: FixTarget): FixRecipe {
  const { name = '', namespace = 'default' } = pod.metadata
  const amounts = changes.map(({ resourceName, to }) => `${resourceName}=${shownAmount(resourceName, to)}`)
  if (file !== undefined) {
    return {
      commands: [`kubectl apply -f ${file === '-' ? 'FILE' : shellWord(file)}`],
      note: `first set ${amounts.join(' and ')} in requests and limits of the manifest`,
    }
  }
  const containers = new Set(changes.map(({ resourceName }) => requestingContainer(pod, resourceName)))
  const [container] = containers
  if (workload !== undefined) {
    if (containers.size !== 1 || container === undefined)
      return { commands: [`kubectl edit ${workload} -n ${namespace}`] }
    const list = amounts.join(',')
    return {
      commands: [
        `kubectl set resources ${workload} -n ${namespace} -c ${container} --requests=${list} --limits=${list}`,
      ],
    }
  }
  const edits = changes.map(({ resourceName, from, to }) => {
    const key = resourceName.replaceAll('.', '\\.')
    return `-e 's|${key}: "${shownAmount(resourceName, from)}"|${resourceName}: "${shownAmount(resourceName, to)}"|'`
  })
  const areExtended = changes.every(({ resourceName }) => isExtendedResourceName(resourceName))
  if (!areExtended || containers.size !== 1 || container === undefined) {
    return {
      commands: [
        `kubectl get pod ${name} -n ${namespace} -o yaml > ${name}.yaml`,
        `kubectl replace --force -f ${name}.yaml`,
      ],
      note: `between the two commands, set ${amounts.join(' and ')} in the file: requests cannot be changed in place`,
    }
  }
  return {
    commands: [
      `kubectl get pod ${name} -n ${namespace} -o yaml | sed ${edits.join(' ')} | kubectl replace --force -f -`,
    ],
    note: 'this recreates the pod: requests cannot be changed in place',
  }
}

/** Returns the container that requests the resource; undefined when there are none or several. */
function requestingContainer(pod: Pod, resourceName: string): string | undefined {
  const asking = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].filter(
    ({ resources }) => (resourceAmounts({ ...resources?.limits, ...resources?.requests }).get(resourceName) ?? 0n) > 0n,
  )
  return asking.length === 1 ? asking[0]?.name : undefined
}

function addCapacity(nodeName: string, additions: readonly Addition[], { nodeOf }: FixTarget): FixRecipe {
  const node = nodeOf(nodeName)
  const offered = resourceAmounts(node?.status?.allocatable)
  const totals = additions.map(
    ({ resourceName, amount }) => [resourceName, (offered.get(resourceName) ?? 0n) + amount] as const,
  )
  const list = totals.map(([name, total]) => `${name}: ${shownAmount(name, total)}`).join(', ')
  if (!additions.every(({ resourceName }) => isExtendedResourceName(resourceName))) {
    return { commands: [], note: `this needs a larger machine or another node with ${list}` }
  }
  const owned = node?.metadata.annotations?.[ADVERTISED_ANNOTATION] ?? ''
  if (additions.some(({ resourceName }) => owned.includes(`"${resourceName}"`))) {
    return { commands: [], note: `set units in the configuration of Berth's advertiser for node ${nodeName}: ${list}` }
  }
  const values = Object.fromEntries(totals.map(([name, total]) => [name, total.toString()]))
  const patch = JSON.stringify({ status: { capacity: values, allocatable: values } })
  return {
    commands: [`kubectl patch node ${nodeName} --subresource=status --type=merge -p '${patch}'`],
    note: 'only if the node really has these units and no device plugin advertises them',
  }
}

/** Quotes a text as one word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
