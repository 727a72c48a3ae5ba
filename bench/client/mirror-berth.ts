/** Mirrors all pods and nodes with Berth's client. Usage: mirror-berth.ts KUBECONFIG */
import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'
import { serveMirror } from './serve-mirror.ts'

const startedAt = performance.now()
const cluster = connectCluster({
  access: loadKubeconfig({ path: process.argv[2] ?? '', env: {}, home: '/' }),
  log: silentLogger,
  clock: systemClock(),
  random: Math.random,
  userAgent: 'bench',
  qps: 0,
})
const mirrors = [resourceRefs.nodes, resourceRefs.pods].map((resource) => cluster.reflect(resource, { isLarge: true }))
await Promise.all(mirrors.map((mirror) => mirror.waitForSync()))
await serveMirror(startedAt, () => mirrors.flatMap(({ store }) => [...store.values()]))
process.exit(0)
