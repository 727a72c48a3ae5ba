import type { Node, Pod } from '@berth/types'
import { type ApiObject, createBinding, objectAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { resourceShortage, allocatableAmounts } from '@berth/embedded-kubelet'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { selectsNode, untoleratedTaints } from './node-fit.ts'
import { isActive, isFinished } from './pod-state.ts'

const NAME = 'default-scheduler'

/**
 * Binds pods of `default-scheduler` to the node with the fewest pods among those whose labels, taints and free resources
 * allow it. It has no scores, no inter-pod affinity, no volumes and no preemption. Its purpose is that charts come up in a
 * cluster without another scheduler.
 */
export function defaultScheduler({ context }: ControllerDependencies): Controller {
  const pods = context.store.collection('/pods')
  const nodes = context.store.collection('/nodes')
  const pendingKeys = new Set<string>()
  return {
    name: NAME,
    storages: ['/nodes', '/pods'],
    keysFor(storage, { type, key, object }) {
      if (storage === '/nodes') return type === 'DELETED' ? [] : [...pendingKeys]
      if (storage !== '/pods') return []
      if (isPending(object) && type !== 'DELETED') {
        pendingKeys.add(key)
        return [key]
      }
      pendingKeys.delete(key)
      // The pod may have freed room for others.
      return type === 'DELETED' || isFinished(object) ? [...pendingKeys] : []
    },
    reconcile(key) {
      const pod = pods.get(key)
      if (pod === undefined || !isPending(pod)) return
      const node = chooseNode(pod)
      if (node !== undefined) bind(pod, node)
    },
  }

  function chooseNode(pod: ApiObject): string | undefined {
    const byNode = Map.groupBy(pods.list().filter(isActive), (each) => stringAt(each, 'spec', 'nodeName'))
    const spec = objectAt(pod, 'spec')
    return nodes
      .list()
      .filter((node) => {
        if (valueAt(node, 'spec', 'unschedulable') === true || !selectsNode(spec, node)) return false
        if (untoleratedTaints(spec, node, ['NoSchedule', 'NoExecute']).length > 0) return false
        const others = (byNode.get(node.metadata.name ?? '') ?? []) as readonly unknown[] as readonly Pod[]
        return (
          offersAllResources(pod, node) &&
          resourceShortage(asPod(pod), others, allocatableAmounts(asNode(node))) === undefined
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

function isPending(pod: ApiObject): boolean {
  const spec = objectAt(pod, 'spec')
  const isGated = Array.isArray(spec['schedulingGates']) && spec['schedulingGates'].length > 0
  return isActive(pod) && spec['schedulerName'] === NAME && stringAt(spec, 'nodeName') === '' && !isGated
}

/**
 * Returns whether the node has all requested resources: the kubelet would ignore extended resources that its node does
 * not have.
 */
function offersAllResources(pod: ApiObject, node: ApiObject): boolean {
  const offered = allocatableAmounts(asNode(node))
  return asPod(pod).spec.containers.every(({ resources }) =>
    Object.keys(resources?.requests ?? {}).every((name) => offered.has(name)),
  )
}

const asPod = (pod: ApiObject): Pod => pod as unknown as Pod
const asNode = (node: ApiObject): Node => node
