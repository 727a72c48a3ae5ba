/** Mirrors all pods and nodes with the informer of \@kubernetes/client-node. Usage: mirror-client-node.ts KUBECONFIG */
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'
import type { KubernetesObject } from '@berth/types'
import { serveMirror } from './serve-mirror.ts'

const startedAt = performance.now()
const config = new KubeConfig()
config.loadFromFile(process.argv[2] ?? '')
const api = config.makeApiClient(CoreV1Api)
const informers = [
  makeInformer(config, '/api/v1/nodes', () => api.listNode()),
  makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces()),
]
await Promise.all(informers.map((informer) => informer.start()))
// client-node's types differ from KubernetesObject only in their dates, which are Date objects.
const held = (): readonly unknown[] => informers.flatMap((informer): readonly unknown[] => informer.list())
await serveMirror(startedAt, () => held() as readonly KubernetesObject[])
process.exit(0)
