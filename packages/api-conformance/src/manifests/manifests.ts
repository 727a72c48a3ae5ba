import { NO_SCHEDULER } from '../runner/no-scheduler.ts'

/** A config map. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = { a: '1' },
  metadata: object = {},
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}

/** A pod with one container; `resources` as the container has them. */
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

/** A deployment without replicas, or with those that `spec` asks for. */
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

/** A node that no kubelet stands behind. */
export function node(name: string, capacity: object = { cpu: '4', memory: '8Gi', pods: '110' }): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity } }
}

/** A lease. */
export function lease(name: string, spec: object = {}): object {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec }
}
