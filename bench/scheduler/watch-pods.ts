import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type ReflectOptions, type Reflector, resourceRefs } from '@berth/k8s-client'
import type { Event, ObjectMeta, Pod } from '@berth/types'
import { connectClient, type ConnectedClient } from '../connect-client.ts'

/** A client of the API server with a mirror of its pods, whose containers it does not have. */
export interface PodWatcher extends ConnectedClient {
  readonly mirror: Reflector<Pod>
}

/**
 * What the benchmarks read of a pod. The observing client shares the cores with what it measures: it asks for the encoding that
 * the schedulers ask for, so that the API server encodes an object once, and decodes no more than it reads.
 */
const observedPods: ReflectOptions<Pod> = {
  project: ({ metadata, spec, status }) => ({
    metadata: identityOf(metadata),
    spec: {
      containers: [],
      ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(spec.schedulingGates !== undefined && { schedulingGates: spec.schedulingGates }),
    },
    status: status?.conditions === undefined ? {} : { conditions: status.conditions },
  }),
  protobuf: {
    skips: ['metadata.managedFields', 'metadata.labels', 'spec.containers', 'spec.affinity', 'spec.tolerations'],
    fillsEmpty: false,
  },
}

/** The events, without the fields that the benchmarks do not read. */
export const observedEvents: ReflectOptions<Event> = {
  project: ({ metadata, eventTime, reportingController, reportingInstance, action, reason, regarding, type }) => ({
    metadata: identityOf(metadata),
    eventTime,
    reportingController,
    reportingInstance,
    action,
    reason,
    regarding,
    type,
  }),
  protobuf: { skips: ['metadata.managedFields', 'note', 'related', 'series'], fillsEmpty: false },
}

/** Connects to the API server and waits until all of its pods are mirrored. */
export async function watchPods(server: RealApiServer): Promise<PodWatcher> {
  await using stack = new AsyncDisposableStack()
  const { cluster } = stack.use(connectClient(server, { encoding: 'protobuf' }))
  const mirror = cluster.reflect<Pod>(resourceRefs.pods, observedPods)
  await mirror.waitForSync()
  const owned = stack.move()
  return { cluster, mirror, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function identityOf({ namespace = '', name = '', uid = '', resourceVersion = '' }: ObjectMeta): ObjectMeta {
  return { namespace, name, uid, resourceVersion }
}
