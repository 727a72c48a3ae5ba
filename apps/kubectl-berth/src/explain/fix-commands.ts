import type { Fix } from '@berth/fit-engine'
import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import type { Node, Pod } from '@berth/types'
import { shownAmount } from '../output/shown-amount.ts'

/** Annotation of nodes that says what Berth's advertiser wrote there. */
const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

/** What a fix is applied to. */
export interface FixTarget {
  readonly pod: Pod
  /** `deployment/web`: what made the pod; undefined for a pod that stands alone. */
  readonly workload: string | undefined
  /** The manifest the pod was read from; undefined: it is in the cluster. */
  readonly file: string | undefined
  readonly nodeOf: (name: string) => Node | undefined
}

/** How to apply a fix: commands for a shell, or a sentence where no command can do it. */
export interface FixRecipe {
  readonly commands: readonly string[]
  readonly note?: string
}

/** The exact commands that apply a fix. */
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
  const containers = new Set(changes.map(({ resourceName }) => containerAskingFor(pod, resourceName)))
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
      note: `between the two set ${amounts.join(' and ')} in the file: a pod's requests cannot be changed in place`,
    }
  }
  return {
    commands: [
      `kubectl get pod ${name} -n ${namespace} -o yaml | sed ${edits.join(' ')} | kubectl replace --force -f -`,
    ],
    note: "the pod is made anew: a pod's requests cannot be changed in place",
  }
}

/** undefined when none or several containers ask for it: then no single command says whose request to lower. */
function containerAskingFor(pod: Pod, resourceName: string): string | undefined {
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
    return { commands: [], note: `only a bigger machine or another node offers ${list}` }
  }
  const owned = node?.metadata.annotations?.[ADVERTISED_ANNOTATION] ?? ''
  if (additions.some(({ resourceName }) => owned.includes(`"${resourceName}"`))) {
    return { commands: [], note: `set units in the configuration of Berth's advertiser for node ${nodeName}: ${list}` }
  }
  const values = Object.fromEntries(totals.map(([name, total]) => [name, total.toString()]))
  const patch = JSON.stringify({ status: { capacity: values, allocatable: values } })
  return {
    commands: [`kubectl patch node ${nodeName} --subresource=status --type=merge -p '${patch}'`],
    note: 'only if the things are really there, and no device plugin counts them',
  }
}

/** One word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
