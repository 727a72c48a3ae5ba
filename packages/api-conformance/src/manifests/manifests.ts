import { NO_SCHEDULER } from '../runner/no-scheduler.ts'

/** Returns a config map. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = { a: '1' },
  metadata: object = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}

/** Returns a pod with one container that has these resources. */
export function pod(name: string, resources: object = {}, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      schedulerName: NO_SCHEDULER,
      containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', resources }],
      ...spec,
    },
  }
}

/** Returns a deployment with 0 replicas, unless `spec` sets them. */
export function deployment(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { schedulerName: NO_SCHEDULER, containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] },
      },
      ...spec,
    },
  }
}

/** Returns a node without a kubelet. */
export function node(name: string, capacity: object = { cpu: '4', memory: '8Gi', pods: '110' }): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity } }
}

/** Returns a lease. */
export function lease(name: string, spec: object = {}): object {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec }
}
