import type { ApiHandler, ApiRequest } from '@berth/types'
import type { World } from '../world/world.ts'
import { isBind } from './api-faults.ts'
import type { SystemFault } from './system-fault.ts'

const WAIT_MS = 40_000

/** Runs once for the next request of a scheduler that matches, in the place of the API server. */
function onNextRequest(
  { healAfter, interceptors }: World,
  matches: (request: ApiRequest) => boolean,
  act: (request: ApiRequest, next: ApiHandler) => ReturnType<ApiHandler>,
): void {
  const interceptor = {
    matches: (request: ApiRequest) => isOfScheduler(request) && matches(request),
    handle: (request: ApiRequest, next: ApiHandler) => {
      interceptors.delete(interceptor)
      return act(request, next)
    },
  }
  interceptors.add(interceptor)
  healAfter(WAIT_MS, () => interceptors.delete(interceptor))
}

const agentOf = ({ headers }: ApiRequest): string => headers['user-agent'] ?? ''
const isOfScheduler = (request: ApiRequest): boolean => agentOf(request).startsWith('berth-scheduler/')
const isRead = ({ method, path }: ApiRequest): boolean => method === 'GET' && path.includes('/pods?')
/** Returns whether a request creates the event of a bind. */
const isBindEvent = ({ method, path, body = new Uint8Array() }: ApiRequest): boolean =>
  method === 'POST' && path.includes('/events?') && Buffer.from(body).includes('"reason":"Scheduled"')

function killSender({ schedulers }: World, request: ApiRequest): void {
  schedulers.find(({ name }) => agentOf(request).includes(`/${name}-`))?.kill()
}

/** Kills a scheduler at a request, before or after the request has arrived. */
function killAt(name: string, matches: (request: ApiRequest) => boolean, arrives: boolean): SystemFault {
  return {
    name,
    begin(world) {
      onNextRequest(world, matches, async (request, next) => {
        world.count(name)
        killSender(world, request)
        if (arrives) await next(request)
        return await new Promise(() => {})
      })
    },
  }
}

/** Changes the pod of the next bind before it arrives. */
function changeAtBind(name: string, change: (world: World, podName: string) => Promise<boolean>): SystemFault {
  return {
    name,
    begin(world) {
      onNextRequest(world, isBind, async (request, next) => {
        const podName = /\/pods\/([^/]+)\/binding$/.exec(request.path)?.[1] ?? ''
        if (await change(world, podName)) world.count(name)
        return await next(request)
      })
    },
  }
}

/** The faults F1 and F3: a scheduler is killed, or a pod changes, at a certain request. */
export const processFaults: readonly SystemFault[] = [
  killAt('F1 the scheduler is killed before a bind', isBind, false),
  killAt('F1 the scheduler is killed with a bind in flight', isBind, true),
  killAt('F1 the scheduler is killed after a bind, before its event', isBindEvent, false),
  killAt('F1 the scheduler is killed during a list', isRead, false),
  changeAtBind('F3 the pod is deleted before its bind arrives', async ({ api }, podName) => {
    await api.deletePod(podName, { isForced: true })
    return true
  }),
  changeAtBind('F3 another pod of that name replaces it before its bind arrives', async ({ api }, podName) => {
    const pod = (await api.pods()).find(({ metadata }) => metadata.name === podName)
    if (pod === undefined) return false
    await api.deletePod(podName, { isForced: true })
    const { nodeName: _, ...spec } = pod.spec
    await api.createPod({ metadata: { name: podName, namespace: 'default' }, spec })
    return true
  }),
  changeAtBind('F3 another program binds the pod first', async ({ api, machines, random }, podName) => {
    const pod = (await api.pods()).find(({ metadata }) => metadata.name === podName)
    const requests = Object.keys(pod?.spec.containers[0]?.resources?.requests ?? {})
    // Units of extended resources would be overcommitted by the other program.
    if (pod === undefined || requests.some((name) => name.includes('/'))) return false
    await api.bindPod(podName, machines[Math.floor(random() * machines.length)]?.name ?? '')
    return true
  }),
  {
    name: 'F1 the advertiser is killed',
    begin({ advertiser, count }) {
      count(this.name)
      advertiser.kill()
    },
  },
]
