import type { ApiHandler, ApiRequest } from '@berth/types'
import { errorResponse, notImplemented } from '@berth/embedded-api-server'

const HOOK_ANNOTATION = 'helm.sh/hook'
/** `test-success` is the name of the hook in Helm 2, which later versions accept. */
const TEST_HOOKS: ReadonlySet<string> = new Set(['test', 'test-success'])
/** Paths of the objects that Helm runs as tests. Helm 3 creates them, Helm 4 applies them. */
const TEST_PATH = /^\/apis?\/(?:v1|batch\/v1)\/namespaces\/[^/]+\/(pods|jobs)(?:\/[^/]+)?$/
const KINDS = {
  pods: { group: '', plural: 'pods', kind: 'Pod' },
  jobs: { group: 'batch', plural: 'jobs', kind: 'Job' },
} as const

/**
 * Refuses to create the pods and Jobs of `helm test` with 501. Simulated kubelets run no containers, so such a test would
 * succeed without having tested anything, or wait for a unit that no program offers.
 */
export function refuseHelmTests(handle: ApiHandler): ApiHandler {
  return async (request) => {
    const { pathname } = new URL(request.path, 'http://localhost')
    const plural = TEST_PATH.exec(pathname)?.[1] as keyof typeof KINDS | undefined
    const name = /^(?:POST|PATCH)$/.test(request.method) && plural !== undefined ? testName(request) : undefined
    if (plural === undefined || name === undefined) return await handle(request)
    const message = `helm test needs real kubelets: ${plural} of this simulated cluster run nothing`
    return errorResponse(notImplemented(KINDS[plural], name, message))
  }
}

/** Returns the name of the object if it is a test of a chart. */
function testName({ body }: ApiRequest): string | undefined {
  // Helm writes JSON. The search spares all other requests a second parse.
  const bytes = Buffer.from(body ?? [])
  if (!bytes.includes(HOOK_ANNOTATION)) return undefined
  try {
    const { metadata } = JSON.parse(bytes.toString()) as {
      readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> }
    }
    const hooks = (metadata?.annotations?.[HOOK_ANNOTATION] ?? '').split(',')
    return hooks.some((hook) => TEST_HOOKS.has(hook.trim())) ? (metadata?.name ?? '') : undefined
  } catch {
    return undefined
  }
}
