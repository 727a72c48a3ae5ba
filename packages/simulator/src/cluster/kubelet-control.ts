import type { ApiHandler, ApiResponse } from '@berth/types'
import type { Kubelet } from '@berth/embedded-kubelet'
import {
  jsonResponse,
  methodNotAllowed,
  notFound,
  errorResponse,
  unauthorized,
  resourceNotFound,
} from '@berth/embedded-api-server'

const PREFIX = '/berth.sim/v1/kubelets/'

/**
 * Adds `POST /berth.sim/v1/kubelets/NODE/{restart,stop,start}` to a handler, so that a process with the admin token can
 * restart, stop and start kubelets. `?reboot=true` also loses the containers. `?reset=true` also sets extended resources
 * to 0, as when the plugin directory is empty.
 */
export function withKubeletControl(handle: ApiHandler, kubelets: readonly Kubelet[]): ApiHandler {
  const byName = new Map(kubelets.map((kubelet) => [kubelet.nodeName, kubelet]))
  return async (request) => {
    const url = new URL(request.path, 'http://localhost')
    if (!url.pathname.startsWith(PREFIX)) return await handle(request)
    // Requests of the admin arrive without a token. Service accounts may not control kubelets.
    if (request.headers['authorization'] !== undefined) return errorResponse(unauthorized())
    const [name = '', action = ''] = url.pathname.slice(PREFIX.length).split('/')
    const kubelet = byName.get(name)
    if (kubelet === undefined)
      return errorResponse(notFound({ group: 'berth.sim', plural: 'kubelets', kind: 'Kubelet' }, name))
    if (request.method !== 'POST') return errorResponse(methodNotAllowed())
    return await runAction(kubelet, action, url.searchParams)
  }
}

async function runAction(kubelet: Kubelet, action: string, query: URLSearchParams): Promise<ApiResponse> {
  const options = { isReboot: query.get('reboot') === 'true', resetsExtendedResources: query.get('reset') === 'true' }
  switch (action) {
    case 'restart':
      await kubelet.restart(options)
      break
    case 'start':
      await kubelet.start(options)
      break
    case 'stop':
      await kubelet.stop()
      break
    default:
      return errorResponse(resourceNotFound())
  }
  return jsonResponse(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 })
}
