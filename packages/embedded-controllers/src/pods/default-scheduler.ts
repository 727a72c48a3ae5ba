import {
  type ApiObject,
  createBinding,
  createObjectWriter,
  listAt,
  objectAt,
  stringAt,
  timestamp,
} from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { nodeRejection, rejectionMessage } from './node-rejection.ts'
import { isActive, isFinished } from './pod-state.ts'

const NAME = 'default-scheduler'

/**
 * Binds pods of `default-scheduler` to the node with the fewest pods among those whose labels, taints and free resources
 * allow it, and says in the condition PodScheduled of the others why no node does. It has no scores, no inter-pod affinity, no
 * volumes and no preemption. Its purpose is that charts come up in a cluster without another scheduler.
 */
export function defaultScheduler({ context }: ControllerDependencies): Controller {
  const pods = context.store.collection('/pods')
  const nodes = context.store.collection('/nodes')
  const pendingKeys = new Set<string>()
  const writer = createObjectWriter(context, 'kube-scheduler')
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
      const choice = chooseNode(pod)
      if ('node' in choice) bind(pod, choice.node)
      else reject(pod, choice.message)
    },
  }

  function chooseNode(pod: ApiObject): { readonly node: string } | { readonly message: string } {
    const byNode = Map.groupBy(pods.list().filter(isActive), (each) => stringAt(each, 'spec', 'nodeName'))
    const podsOn = (node: string): readonly ApiObject[] => byNode.get(node) ?? []
    const judged = nodes.list().map((node) => {
      const { name = '' } = node.metadata
      return { name, rejection: nodeRejection(pod, node, podsOn(name)) }
    })
    const [node] = judged
      .flatMap(({ name, rejection }) => (rejection === undefined ? [name] : []))
      .toSorted((a, b) => podsOn(a).length - podsOn(b).length)
    return node === undefined
      ? { message: rejectionMessage(judged.flatMap(({ rejection }) => rejection ?? [])) }
      : { node }
  }

  /** Sets the condition that `kubectl describe` and other tools read. */
  function reject(pod: ApiObject, message: string): void {
    const conditions = listAt(pod, 'status', 'conditions')
    const before = conditions.find((each) => stringAt(each, 'type') === 'PodScheduled')
    const since = stringAt(before, 'status') === 'False' ? stringAt(before, 'lastTransitionTime') : ''
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: since || timestamp(context.clock),
    }
    const others = conditions.filter((each) => each !== before)
    writer.updateStatus('/pods', pod, { ...objectAt(pod, 'status'), conditions: [...others, condition] })
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
