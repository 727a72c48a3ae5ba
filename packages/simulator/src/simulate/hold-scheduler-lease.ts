import { type ApiServer, createObjectWriter, objectAt } from '@berth/embedded-api-server'
import { microTime } from '@berth/embedded-kubelet'

const LEASES = 'coordination.k8s.io/leases'
const NAMESPACE = 'kube-system'
const NAME = 'kube-scheduler'
const RENEW_MS = 5_000

/** Holds the Lease of kube-scheduler, by which others see that a default scheduler runs. Disposing stops the renewals. */
export function holdSchedulerLease({ context }: Pick<ApiServer, 'context'>): Disposable {
  const { clock, store } = context
  const writer = createObjectWriter(context, 'kube-scheduler')
  const acquireTime = microTime(clock.now())
  const renew = (): ReturnType<typeof clock.setTimer> => {
    const old = store.collection(LEASES).get(`${NAMESPACE}/${NAME}`)
    const spec = {
      ...objectAt(old, 'spec'),
      holderIdentity: 'simulated-scheduler',
      leaseDurationSeconds: 15,
      acquireTime,
      renewTime: microTime(clock.now()),
    }
    const metadata = { name: NAME, namespace: NAMESPACE }
    if (old === undefined)
      writer.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
    else writer.update(LEASES, old, { ...old, spec })
    return clock.setTimer(RENEW_MS, () => void (timer = renew()))
  }
  let timer = renew()
  return { [Symbol.dispose]: () => timer.cancel() }
}
