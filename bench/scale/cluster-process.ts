/**
 * Serves an API server with nodes and bound pods over HTTPS until it is killed, and prints `ready`. The nodes have no kubelets.
 * Usage: cluster-process.ts NODES PODS KUBECONFIG
 */
import { writeFileSync } from 'node:fs'
import { systemClock } from '@berth/clock'
import { largeCluster } from '@berth/e2e/real-api-server/large-cluster'
import { createApiServer, serveApiServer, type ApiServer } from '@berth/simulator'

type StoredObject = Parameters<ReturnType<ApiServer['store']['collection']>['put']>[1]

const [nodes = '', pods = '', kubeconfig = ''] = process.argv.slice(2)
const { store, handle } = createApiServer({ clock: systemClock(), random: Math.random })
for (const [path, object] of largeCluster(Number(nodes), Number(pods))) {
  const isNode = path.startsWith('minions/')
  const key = path.slice(path.indexOf('/') + 1)
  store.collection(isNode ? '/nodes' : '/pods').put(key, object as StoredObject)
}
// The objects were there before any client, so no client may see them as changes.
store.compact()
const served = await serveApiServer({ handle })
writeFileSync(kubeconfig, served.kubeconfig(), { mode: 0o600 })
console.log('ready')
