import { type ClusterView, podName } from '@berth/cluster-view'
import type { AnnotatedPod } from '@berth/fit-engine'
import { type ApiClient, bindAndConfirm, type ConfirmedBinding, confirmBinding, orAborted } from '@berth/k8s-client'
import { errorText } from '@berth/text/error-text'
import type { Clock, ExtenderBindingArgs, Logger, Pod } from '@berth/types'
import { RefusalError } from '../errors.ts'
import type { BindHooks } from '../effects/effect-hooks.ts'
import type { Leadership, Term } from './leadership.ts'

/** Options of {@link createBinder}. */
export interface BinderOptions {
  readonly view: Pick<ClusterView, 'state' | 'pod' | 'subscribe' | 'notReady' | 'assume' | 'forget'>
  readonly client: Pick<ApiClient, 'find' | 'bind'>
  /** Returns why the pod does not fit on the node now; undefined if it fits. */
  readonly misfit: (pod: Pod, nodeName: string) => string | undefined
  /** Returns the pod with the annotations that plugins give it for the node. */
  readonly annotate: (pod: Pod, nodeName: string) => AnnotatedPod
  /** The bind hooks of contributed plugins. */
  readonly hooks: BindHooks
  readonly leadership: Leadership
  /** A call is answered within this time, milliseconds. Must be shorter than httpTimeout of kube-scheduler. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** Binds pods. The units of a pod count as used from before the request until the pod is known not to be bound. */
export interface Binder extends AsyncDisposable {
  /**
   * Binds the pod of the request to its node. A repeated call for a pod that is bound to the node succeeds.
   *
   * @throws RefusalError BERTH_EXTENDER_BIND when the pod is not bound, or it is not known in time whether it is.
   */
  bind(request: ExtenderBindingArgs): Promise<void>
  /** Resolves when no bind is in flight. */
  idle(): Promise<void>
}

interface InFlightBind {
  readonly nodeName: string
  readonly done: Promise<void>
  /** Why it is not known whether the pod is bound; undefined until a bind hook has ended or failed. */
  problem?: string
}

/** Only a bind that was neither seen nor undone lasts this long. */
const ASSUMPTION_MS = 900_000
const DRAIN_MS = 5_000

/** Creates a binder. */
export function createBinder(options: BinderOptions): Binder {
  const { view, client, misfit, annotate, hooks, leadership, timeoutMs, clock, log } = options
  const inFlight = new Map<string, InFlightBind>()
  const stop = new AbortController()

  /** Waits until the view contains the pod of the request, because kube-scheduler may see a new pod earlier. */
  const podInView = (request: ExtenderBindingArgs, signal: AbortSignal): Promise<Pod> => {
    const find = (): Pod | undefined => {
      const pod = view.pod(nameOf(request))
      return pod?.metadata.uid === request.PodUID ? pod : undefined
    }
    const found = find()
    if (found !== undefined) return Promise.resolve(found)
    const seen = Promise.withResolvers<Pod>()
    const unsubscribe = view.subscribe((change) => {
      if (change.kind !== 'pod-added' && change.kind !== 'pod-updated') return
      if (change.pod.metadata.uid === request.PodUID && podName(change.pod) === nameOf(request))
        seen.resolve(change.pod)
    })
    return orAborted(seen.promise, signal).finally(unsubscribe)
  }

  /**
   * Checks the pod and takes its units in one synchronous step, so that no other call can take the same units. Returns
   * the pod with the annotations of its Binding; undefined for a pod that is bound to the node already.
   */
  const takeUnits = (pod: Pod, nodeName: string, term: Term): AnnotatedPod | undefined => {
    const boundTo = pod.spec.nodeName ?? ''
    if (boundTo === nodeName) return undefined
    if (boundTo !== '') throw refusal(pod, nodeName, `it is bound to node ${boundTo}`)
    if (pod.metadata.deletionTimestamp != null) throw refusal(pod, nodeName, 'it is being deleted')
    if (!term.mayWrite()) throw refusal(pod, nodeName, 'this replica no longer holds the Lease')
    const reason = view.notReady() ?? misfit(pod, nodeName)
    if (reason !== undefined) throw refusal(pod, nodeName, reason)
    const annotated = annotate(pod, nodeName)
    view.assume(annotated.pod, nodeName, { expiresAfterMs: ASSUMPTION_MS })
    return annotated
  }

  const writeBinding = async (annotated: AnnotatedPod, nodeName: string, term: Term): Promise<ConfirmedBinding> => {
    const { pod, annotations } = annotated
    const { mayWrite, lost } = term
    const confirm = { client, clock, log, signal: stop.signal }
    const hooked = await hooks(pod, nodeName, { mayWrite, lost, signal: stop.signal })
    if (hooked.kind === 'unconfirmed') {
      const bind = inFlight.get(pod.metadata.uid ?? '')
      if (bind !== undefined) bind.problem = hooked.bind.reason
      return confirmBinding(pod, nodeName, hooked.bind, confirm)
    }
    if (hooked.kind === 'rejected') return { kind: 'conflict', error: new Error(hooked.reason) }
    return bindAndConfirm(pod, nodeName, {
      ...confirm,
      mayWrite,
      lost,
      ...(annotations !== undefined && { annotations }),
    })
  }

  const bindTaken = async (annotated: AnnotatedPod, nodeName: string, term: Term): Promise<void> => {
    const { pod } = annotated
    const result = await writeBinding(annotated, nodeName, term).catch((error: unknown) => ({
      kind: 'unknown' as const,
      error,
    }))
    if (result.kind === 'bound') {
      log.debug({ pod: podName(pod), node: nodeName }, 'Pod bound')
      return
    }
    // At shutdown the pod is not read again, so the bind may have happened: its units stay taken.
    if (!stop.signal.aborted) view.forget(pod)
    if (result.kind === 'gone') throw refusal(pod, nodeName, 'it was deleted or bound to another node')
    throw refusal(pod, nodeName, errorText(result.error), result.error)
  }

  /** Confirms an earlier bind of this process whose pod the view has not seen bound yet. */
  const confirmEarlier = async (pod: Pod, nodeName: string): Promise<void> => {
    const earlier = { reason: 'an earlier bind of this pod is not confirmed yet' }
    const result = await confirmBinding(pod, nodeName, earlier, { client, clock, log, signal: stop.signal })
    if (result.kind !== 'bound') throw refusal(pod, nodeName, 'it was deleted, or is bound to another node')
  }

  const begin = async (request: ExtenderBindingArgs, signal: AbortSignal): Promise<void> => {
    const { Node: nodeName, PodUID: uid } = request
    const term = await leadership.lead(signal)
    const pod = await podInView(request, signal)
    // From here on, the bind runs to its end even if the call is answered earlier.
    signal.throwIfAborted()
    const known = inFlight.get(uid)
    if (known !== undefined) return joinInFlight(known, pod, nodeName)
    if (view.state.isAssumed(pod)) return confirmEarlier(pod, nodeName)
    const annotated = takeUnits(pod, nodeName, term)
    if (annotated === undefined) return
    const done = bindTaken(annotated, nodeName, term).finally(() => inFlight.delete(uid))
    inFlight.set(uid, { nodeName, done })
    // The call may have been answered before the bind fails.
    done.catch(() => undefined)
    return done
  }

  const idle = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.allSettled([...inFlight.values()].map(({ done }) => done))
  }

  return {
    async bind(request) {
      const waiting = new AbortController()
      const late = (): RefusalError =>
        new RefusalError(`bind pod ${nameOf(request)} to node ${request.Node}: ${lateReason(request)}`, {
          code: 'BERTH_EXTENDER_BIND',
          retryable: true,
        })
      const timer = clock.setTimer(timeoutMs, () => waiting.abort(late()))
      try {
        await orAborted(begin(request, waiting.signal), waiting.signal)
      } catch (error) {
        if (error instanceof RefusalError) throw error
        throw new RefusalError(`bind pod ${nameOf(request)} to node ${request.Node}: ${errorText(error)}`, {
          code: 'BERTH_EXTENDER_BIND',
          retryable: true,
          cause: error,
        })
      } finally {
        timer.cancel()
      }
    },
    idle,
    async [Symbol.asyncDispose]() {
      const deadline = clock.setTimer(DRAIN_MS, () => stop.abort(new Error('the extender is shutting down')))
      await idle()
      deadline.cancel()
      stop.abort(new Error('the extender is shutting down'))
    },
  }

  /** Returns what the call was waiting for when its time ended. */
  function lateReason(request: ExtenderBindingArgs): string {
    const bind = inFlight.get(request.PodUID)
    if (bind !== undefined) {
      const problem = bind.problem ?? `the API server or a bind hook has not answered within ${timeoutMs} ms`
      return `${problem}; its units stay taken until it is known whether it is bound`
    }
    const leader = leadership.leader()
    if (!leadership.isReady()) {
      return leader === ''
        ? 'no replica holds the Lease yet'
        : `the Lease is held by ${leader}, or its view is not complete`
    }
    return `the cluster view does not contain the pod with uid ${request.PodUID}`
  }
}

async function joinInFlight(known: InFlightBind, pod: Pod, nodeName: string): Promise<void> {
  if (known.nodeName !== nodeName) throw refusal(pod, nodeName, `it is being bound to node ${known.nodeName}`)
  await known.done
}

function nameOf({ PodNamespace, PodName }: ExtenderBindingArgs): string {
  return `${PodNamespace}/${PodName}`
}

function refusal(pod: Pod, nodeName: string, reason: string, cause?: unknown): RefusalError {
  // The error of the client starts with the same words.
  const head = `bind pod ${podName(pod)} to node ${nodeName}: `
  return new RefusalError(reason.startsWith(head) ? reason : `${head}${reason}`, {
    code: 'BERTH_EXTENDER_BIND',
    retryable: true,
    cause,
  })
}
