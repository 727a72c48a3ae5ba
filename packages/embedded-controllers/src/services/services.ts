import {
  type ApiObject,
  byCodeUnit,
  equalJson,
  isReady,
  labelMatcher,
  objectAt,
  stringAt,
} from '@berth/embedded-api-server'
import { controllerReference } from '../workloads/controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { endpointGroups, type EndpointGroup, type EndpointPort, type ServiceEndpoint } from './service-endpoints.ts'

const SLICES = 'discovery.k8s.io/endpointslices'
const SERVICE_LABEL = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const MANAGER = 'endpointslice-controller.k8s.io'

/** Maximum number of endpoints in one slice, as upstream. */
const MAX_ENDPOINTS = 100

/** Keeps the EndpointSlices of services with a selector. The older Endpoints are not written. */
export function serviceController({ context, writer, owners }: ControllerDependencies): Controller {
  const services = context.store.collection('/services')
  const pods = context.store.collection('/pods')
  const selects = (service: ApiObject, pod: ApiObject): boolean =>
    service.metadata.namespace === pod.metadata.namespace && selectorOf(service)(pod.metadata.labels)
  return {
    name: 'services',
    storages: ['/services', '/pods'],
    keysFor(storage, { key, type, object, previous }) {
      if (storage === '/services') return [key]
      if (storage !== '/pods') return []
      if (type === 'MODIFIED' && previous !== undefined && endpointFacts(object) === endpointFacts(previous)) return []
      return services
        .list()
        .filter((service) => selects(service, object) || (previous !== undefined && selects(service, previous)))
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    },
    reconcile(key) {
      const service = services.get(key)
      if (service === undefined || !hasSelector(service) || service.metadata.deletionTimestamp !== undefined) return
      const groups = endpointGroups(
        service,
        pods.list().filter((pod) => selects(service, pod)),
      )
      writeSlices(service, groups)
    },
  }

  function writeSlices(service: ApiObject, groups: readonly EndpointGroup[]): void {
    const desiredSlices = groups.flatMap(({ ports, endpoints }) =>
      chunks(endpoints).map((each) => sliceOf(ports, each)),
    )
    // A service without pods has one empty slice.
    if (desiredSlices.length === 0) desiredSlices.push({ endpoints: null, ports: null })
    const present = owners
      .ownedObjects(service.metadata.uid ?? '', SLICES)
      .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === MANAGER)
      .toSorted((a, b) => byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? ''))
    for (const [i, body] of desiredSlices.entries()) {
      const old = present[i]
      if (old === undefined) writer.create(SLICES, { ...newSlice(service), ...body })
      else if (!equalJson({ ...old, ...body }, old)) writer.update(SLICES, old, { ...old, ...body })
    }
    for (const extra of present.slice(desiredSlices.length)) writer.remove(SLICES, extra)
  }
}

function hasSelector(service: ApiObject): boolean {
  return Object.keys(objectAt(service, 'spec', 'selector')).length > 0
}

function selectorOf(service: ApiObject): ReturnType<typeof labelMatcher> {
  const matchLabels = objectAt(service, 'spec', 'selector') as Readonly<Record<string, string>>
  return hasSelector(service) ? labelMatcher({ matchLabels }) : () => false
}

/** Returns the state of a pod that the endpoints of its services depend on. */
function endpointFacts(pod: ApiObject): string {
  const { labels, deletionTimestamp } = pod.metadata
  return JSON.stringify([
    labels,
    deletionTimestamp !== undefined,
    stringAt(pod, 'status', 'podIP'),
    stringAt(pod, 'status', 'phase'),
    isReady(pod),
  ])
}

function chunks(endpoints: readonly ServiceEndpoint[]): readonly (readonly ServiceEndpoint[])[] {
  return Array.from({ length: Math.ceil(endpoints.length / MAX_ENDPOINTS) }, (_, i) =>
    endpoints.slice(i * MAX_ENDPOINTS, (i + 1) * MAX_ENDPOINTS),
  )
}

function headless(service: ApiObject): Readonly<Record<string, string>> {
  return stringAt(service, 'spec', 'clusterIP') === 'None' ? { 'service.kubernetes.io/headless': '' } : {}
}

function newSlice(service: ApiObject): ApiObject {
  const { name = '', namespace = '', labels } = service.metadata
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        [SERVICE_LABEL]: name,
        [MANAGED_BY]: MANAGER,
        ...headless(service),
      },
      ownerReferences: [{ ...controllerReference(service), apiVersion: 'v1', kind: 'Service' }],
    },
    addressType: 'IPv4',
  }
}

function sliceOf(ports: readonly EndpointPort[], endpoints: readonly ServiceEndpoint[]): Record<string, unknown> {
  return {
    endpoints: endpoints.map(({ ip, nodeName, targetRef, ready, serving, terminating, hostname }) => ({
      addresses: [ip],
      conditions: { ready, serving, terminating },
      ...(hostname === undefined ? {} : { hostname }),
      nodeName,
      targetRef,
    })),
    ports,
  }
}
