// Ends when a DaemonSet has a ready pod on every node that it is meant for and that answers: await-daemonset NAMESPACE NAME SECONDS
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const [namespace, name, seconds] = process.argv.slice(1)
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, NODE_EXTRA_CA_CERTS: caFile } = process.env
const address = host.includes(':') ? `[${host}]` : host
const authorization = `Bearer ${readFileSync(caFile.replace('ca.crt', 'token'), 'utf8')}`
const get = async (path) => {
  const url = `https://${address}:${port}${path}`
  const response = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(5000) })
  const body = await response.json()
  if (!response.ok && response.status !== 404) throw new Error(body.message)
  return body
}
const isReady = ({ status }) =>
  status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
// A pod that is not yet bound names its node in its affinity.
const nodeOf = ({ spec }) =>
  spec.nodeName ??
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]
    ?.values?.[0]

/** The pods that are not ready; undefined while some are not made yet. */
async function unready(selector, wanted) {
  const query = new URLSearchParams({
    labelSelector: Object.entries(selector)
      .map((label) => label.join('='))
      .join(','),
  })
  const { items } = await get(`/api/v1/namespaces/${namespace}/pods?${query}`)
  return items.length < wanted ? undefined : items.filter((pod) => !isReady(pod))
}

/** The nodes of these pods, where none of them answers; undefined while one does. */
async function silentNodes(pods) {
  const silent = pods.map(nodeOf)
  for (const node of silent) {
    if (node === undefined || isReady(await get(`/api/v1/nodes/${node}`))) return undefined
  }
  return silent
}

/** Where a pod cannot end its work, and what it said. */
function troubleOf(pod) {
  const said = (pod.status.initContainerStatuses ?? []).flatMap(({ state, lastState }) => {
    const { exitCode = 0, message = '' } = state?.terminated ?? lastState?.terminated ?? {}
    return exitCode === 0 ? [] : [message.trim().replaceAll('\n', ', ')]
  })
  return said.length === 0 ? [] : [`; on node ${nodeOf(pod)}: ${said.join(', ')}`]
}

const started = Date.now()
const deadline = started + Number(seconds) * 1000
// A node that only blinks is waited for.
const patience = started + Number(seconds) * 100
let seen = 'nothing'
let trouble = ''
while (Date.now() < deadline) {
  try {
    const { metadata, spec, status, message } = await get(`/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`)
    if (spec === undefined) seen = message
    else {
      const { desiredNumberScheduled: wanted = 0, numberReady: ready = 0, observedGeneration } = status
      seen = `${ready} of ${wanted} pods ready`
      if (observedGeneration === metadata.generation) {
        if (ready >= wanted) {
          console.log(seen)
          process.exit(0)
        }
        const pods = await unready(spec.selector.matchLabels, wanted)
        trouble = (pods ?? []).flatMap(troubleOf).join('')
        const silent = Date.now() < patience || pods === undefined ? undefined : await silentNodes(pods)
        if (silent !== undefined) {
          console.log(`${seen}; these nodes do not answer and keep the directory of the sockets: ${silent.join(', ')}`)
          process.exit(0)
        }
      }
    }
  } catch (error) {
    seen = `${error.message} ${error.cause?.message ?? ''}`
  }
  await sleep(500)
}
console.log(`gave up on DaemonSet ${namespace}/${name} after ${seconds} s: ${seen}${trouble}`)
process.exit(1)
