import type { Node, Pod } from '@berth/types'
import { type ApiObject, createBinding, objectAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { resourceShortage, allocatableAmounts } from '@berth/embedded-kubelet'
import type { Controller, ControllerParts } from '../loop/controller.ts'
import { selectsNode, untoleratedTaints } from './node-fit.ts'
import { isActive, isFinished } from './pod-state.ts'

const NAME = 'default-scheduler'

/**
 * Places pods of `default-scheduler` on the node with the fewest pods among those that they select, tolerate and fit on
 * by their requests. It is no scheduler to learn from: it knows no scores, no affinity between pods and no volumes, and
 * never preempts. It is there so that charts come up in a cluster that has no other.
 */
export function defaultScheduler({ context }: ControllerParts): Controller {
  const pods = context.store.collection('/pods')
  const nodes = context.store.collection('/nodes')
  const waiting = new Set<string>()
  return {
    name: NAME,
    storages: ['/nodes', '/pods'],
    interest(storage, { type, key, object }) {
      if (storage === '/nodes') return type === 'DELETED' ? [] : [...waiting]
      if (storage !== '/pods') return []
      if (isWaiting(object) && type !== 'DELETED') {
        waiting.add(key)
        return [key]
      }
      waiting.delete(key)
      // Room may have come.
      return type === 'DELETED' || isFinished(object) ? [...waiting] : []
    },
    reconcile(key) {
      const pod = pods.get(key)
      if (pod === undefined || !isWaiting(pod)) return
      const node = choose(pod)
      if (node !== undefined) bind(pod, node)
    },
  }

  function choose(pod: ApiObject): string | undefined {
    const byNode = Map.groupBy(pods.list().filter(isActive), (each) => stringAt(each, 'spec', 'nodeName'))
    const spec = objectAt(pod, 'spec')
    return nodes
      .list()
      .filter((node) => {
        if (valueAt(node, 'spec', 'unschedulable') === true || !selectsNode(spec, node)) return false
        if (untoleratedTaints(spec, node, ['NoSchedule', 'NoExecute']).length > 0) return false
        const others = (byNode.get(node.metadata.name ?? '') ?? []) as readonly unknown[] as readonly Pod[]
        return (
          offersAll(pod, node) && resourceShortage(asPod(pod), others, allocatableAmounts(asNode(node))) === undefined
        )
      })
      .map((node) => node.metadata.name ?? '')
      .toSorted((a, b) => (byNode.get(a)?.length ?? 0) - (byNode.get(b)?.length ?? 0))[0]
  }

  function bind(pod: ApiObject, node: string): void {
    const { name = '', namespace = '', uid } = pod.metadata
    const kind = context.kinds.all().find(({ storage }) => storage === '/pods')
    if (kind === undefined) throw new Error('no kind is stored as /pods')
    const binding = { metadata: { name, namespace, uid }, target: { kind: 'Node', name: node } }
    const body = new TextEncoder().encode(JSON.stringify(binding))
    createBinding(context, {
      kind,
      namespace,
      name,
      subresource: 'binding',
      query: new URLSearchParams(),
      http: { method: 'POST', path: '', headers: {}, body },
    })
  }
}

function isWaiting(pod: ApiObject): boolean {
  const spec = objectAt(pod, 'spec')
  const isGated = Array.isArray(spec['schedulingGates']) && spec['schedulingGates'].length > 0
  return isActive(pod) && spec['schedulerName'] === NAME && stringAt(spec, 'nodeName') === '' && !isGated
}

/** The kubelet lets extended resources pass that its node does not name; a scheduler does not. */
function offersAll(pod: ApiObject, node: ApiObject): boolean {
  const offered = allocatableAmounts(asNode(node))
  return asPod(pod).spec.containers.every(({ resources }) =>
    Object.keys(resources?.requests ?? {}).every((name) => offered.has(name)),
  )
}

const asPod = (pod: ApiObject): Pod => pod as unknown as Pod
const asNode = (node: ApiObject): Node => node
