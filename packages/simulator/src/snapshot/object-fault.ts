import { type ApiObject, isObject, listAt, valueAt } from '@berth/embedded-api-server'
import { recordedMachine } from '@berth/embedded-kubelet'
import { errorText } from '@berth/text/error-text'

const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const WEBHOOKS = /^(?:Mutating|Validating)WebhookConfiguration$/

/**
 * Returns why a simulated cluster cannot start with the object; undefined when it can. Does not validate it, because an API
 * server has accepted it: finds only what a hand-written file may contain and kubelets cannot run, and webhooks.
 */
export function objectFault({ kind, ...object }: ApiObject): string | undefined {
  if (WEBHOOKS.test(kind)) return 'webhooks would be called from this machine'
  if (object.apiVersion !== 'v1') return undefined
  if (kind === 'Node') return nodeFault({ kind, ...object })
  if (kind !== 'Pod') return undefined
  const containers = listAt(object, 'spec', 'containers')
  const all = [...containers, ...listAt(object, 'spec', 'initContainers')]
  return containers.length > 0 && all.every(isObject) ? undefined : 'it has no containers'
}

function nodeFault(node: ApiObject): string | undefined {
  // The name becomes the name of a folder for sockets.
  if (!SUBDOMAIN.test(node.metadata.name ?? '')) return 'its name is not valid'
  const taints = valueAt(node, 'spec', 'taints')
  if (taints !== undefined && !(Array.isArray(taints) && taints.every(isObject))) return 'its taints are not a list'
  try {
    recordedMachine(node)
    return undefined
  } catch (error) {
    return errorText(error)
  }
}
