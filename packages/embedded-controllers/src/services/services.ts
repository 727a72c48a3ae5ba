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

/** Writes the Endpoints and EndpointSlices of services with a selector. */
export function serviceController({ context, writer, owners }: ControllerDependencies): Controller {
  const services = context.store.collection('/services')
  const pods = context.store.collection('/pods')
  const endpointsObjects = context.store.collection('/endpoints')
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
      if (service === undefined || !hasSelector(service)) {
        const stale = endpointsObjects.get(key)
        if (service === undefined && stale?.metadata.labels?.['endpoints.kubernetes.io/managed-by'] !== undefined)
          writer.remove('/endpoints', stale)
        return
      }
      if (service.metadata.deletionTimestamp !== undefined) return
      const groups = endpointGroups(
        service,
        pods.list().filter((pod) => selects(service, pod)),
      )
      writeSlices(service, groups)
      writeEndpoints(key, service, groups)
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

  function writeEndpoints(key: string, service: ApiObject, groups: readonly EndpointGroup[]): void {
    const subsets = groups
      .map(({ ports, endpoints }) => subsetOf(ports, endpoints))
      .filter((each) => each !== undefined)
    const old = endpointsObjects.get(key)
    const { name = '', namespace = '', labels } = service.metadata
    const body = subsets.length === 0 ? {} : { subsets }
    if (old === undefined) {
      writer.create('/endpoints', {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: {
          name,
          namespace,
          labels: { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller', ...headless(service) },
        },
        ...body,
      })
    } else if (!equalJson(old['subsets'] ?? [], subsets)) {
      const { subsets: _, ...rest } = old
      writer.update('/endpoints', old, { ...(rest as ApiObject), ...body })
    }
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

function subsetOf(ports: readonly EndpointPort[], endpoints: readonly ServiceEndpoint[]): object | undefined {
  const address = ({ ip, nodeName, targetRef, hostname }: ServiceEndpoint): object => ({
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    nodeName,
    targetRef,
  })
  const live = endpoints.filter(({ terminating }) => !terminating)
  if (live.length === 0) return undefined
  const ready = live.filter((each) => each.ready).map(address)
  const others = live.filter((each) => !each.ready).map(address)
  return {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(others.length === 0 ? {} : { notReadyAddresses: others }),
    ports: ports.map(({ name, ...rest }) => (name === '' ? rest : { name, ...rest })),
  }
}
