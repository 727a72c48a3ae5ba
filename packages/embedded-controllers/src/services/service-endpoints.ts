import { type ApiObject, isReady, listAt, numberAt, objectAt, own, stringAt, valueAt } from '@berth/embedded-api-server'
import { isFinished } from '../pods/pod-state.ts'

/** A port of a service, resolved for a pod. */
export interface EndpointPort {
  readonly name?: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

/** One pod of a service. */
export interface ServiceEndpoint {
  readonly ip: string
  readonly nodeName: string
  readonly targetRef: object
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  readonly hostname?: string
}

/** Pods with the same resolved ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly ServiceEndpoint[]
}

/**
 * Groups the pods of a service by the ports that its port names resolve to. Omits finished pods and pods without an
 * address.
 *
 * @see kubernetes/endpointslice reconciler (v1.36)
 */
export function endpointGroups(service: ApiObject, pods: readonly ApiObject[]): readonly EndpointGroup[] {
  const publishesAll = valueAt(service, 'spec', 'publishNotReadyAddresses') === true
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: ServiceEndpoint[] }>()
  for (const pod of pods) {
    const ip = stringAt(pod, 'status', 'podIP')
    if (ip === '' || isFinished(pod)) continue
    const ports = portsOf(service, pod)
    const key = JSON.stringify(ports)
    const group = groups.get(key) ?? { ports, endpoints: [] }
    groups.set(key, group)
    group.endpoints.push(endpointOf(service, pod, publishesAll))
  }
  return [...groups.values()]
}

function endpointOf(service: ApiObject, pod: ApiObject, publishesAll: boolean): ServiceEndpoint {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = pod.metadata
  const serving = isReady(pod)
  const terminating = deletionTimestamp !== undefined
  const hostname = stringAt(pod, 'spec', 'hostname')
  const isNamed = hostname !== '' && stringAt(pod, 'spec', 'subdomain') === service.metadata.name
  return {
    ip: stringAt(pod, 'status', 'podIP'),
    nodeName: stringAt(pod, 'spec', 'nodeName'),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ready: publishesAll || (serving && !terminating),
    serving,
    terminating,
    ...(isNamed ? { hostname } : {}),
  }
}

function portsOf(service: ApiObject, pod: ApiObject): readonly EndpointPort[] {
  return listAt(service, 'spec', 'ports').flatMap((each) => {
    const protocol = stringAt(each, 'protocol') || 'TCP'
    const port = targetPort(pod, own(each, 'targetPort') ?? own(each, 'port'), protocol)
    if (port === undefined) return []
    const appProtocol = stringAt(each, 'appProtocol')
    const name = stringAt(each, 'name')
    return [{ name, port, protocol, ...(appProtocol === '' ? {} : { appProtocol }) }]
  })
}

function targetPort(pod: ApiObject, target: unknown, protocol: string): number | undefined {
  if (typeof target === 'number') return target
  const spec = objectAt(pod, 'spec')
  const sidecars = listAt(spec, 'initContainers').filter((each) => stringAt(each, 'restartPolicy') === 'Always')
  for (const container of [...listAt(spec, 'containers'), ...sidecars]) {
    for (const port of listAt(container, 'ports')) {
      if (stringAt(port, 'name') === target && (stringAt(port, 'protocol') || 'TCP') === protocol)
        return numberAt(port, 'containerPort')
    }
  }
  return undefined
}
