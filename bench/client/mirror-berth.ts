/** Mirrors all pods and nodes with Berth's client. Usage: mirror-berth.ts KUBECONFIG */
import { connectWithKubeconfig } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { resourceRefs } from '@berth/k8s-client'
import { serveMirror } from './serve-mirror.ts'

const startedAt = performance.now()
const cluster = connectWithKubeconfig(process.argv[2] ?? '')
const mirrors = [resourceRefs.nodes, resourceRefs.pods].map((resource) => cluster.reflect(resource, { isLarge: true }))
await Promise.all(mirrors.map((mirror) => mirror.waitForSync()))
await serveMirror(startedAt, () => mirrors.flatMap(({ store }) => [...store.values()]))
process.exit(0)
