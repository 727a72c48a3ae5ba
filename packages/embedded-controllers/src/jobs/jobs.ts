import { type ApiObject, listAt, numberAt, stringAt, timestamp, withMetadata } from '@berth/embedded-api-server'
import { controllerKey, podFromTemplate, withContainers } from '../workloads/controlled-object.ts'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'
import { createFailureBackoff } from '../loop/failure-backoff.ts'
import { isJobFinished } from './job-conditions.ts'
import { INDEX_KEY } from './job-indexes.ts'
import { jobStep, TRACKING_FINALIZER } from './job-step.ts'

/** Maximum number of pods to create per reconcile. */
const BURST = 500

/** Runs the pods of Jobs, counts how they finish, and deletes finished Jobs after their TTL. */
export function jobController({ context, writer, owners }: ControllerDependencies): Controller {
  const jobs = context.store.collection('batch/jobs')
  const pods = context.store.collection('/pods')
  const backoff = createFailureBackoff(context.clock, { initialMs: 10_000, maxMs: 600_000 })
  return {
    name: 'jobs',
    storages: ['batch/jobs', '/pods'],
    keysFor(storage, { key, object }) {
      if (storage === 'batch/jobs') return [key]
      return storage === '/pods' ? controllerKey(object, 'Job') : []
    },
    reconcile(key, requeueAfter) {
      const job = jobs.get(key)
      if (job === undefined || job.metadata.deletionTimestamp !== undefined || isJobFinished(job)) {
        backoff.forget(key)
        for (const pod of trackedPods(key, job)) release(pod)
        if (job !== undefined) deleteAfterTtl(job, requeueAfter)
        return
      }
      const owned = owners.ownedObjects(job.metadata.uid ?? '', '/pods')
      const moment = { nowMs: context.clock.now(), now: timestamp(context.clock) }
      let step = jobStep(job, owned, { ...moment, backoffMs: backoff.remainingMs(key) })
      if (step.newFailures > 0) {
        backoff.recordFailure(key)
        step = jobStep(job, owned, { ...moment, backoffMs: backoff.remainingMs(key) })
      }
      for (const pod of step.remove) writer.remove('/pods', pod, { propagationPolicy: 'Background' })
      for (let i = 0; i < Math.min(step.create, BURST); i++) writer.create('/pods', podOf(job, step.indexes[i]))
      writer.updateStatus('batch/jobs', jobs.get(key) ?? job, step.status)
      for (const pod of step.removeTrackingFinalizer) release(pod)
      const waits = [step.requeueAfterMs, backoff.remainingMs(key) || undefined].filter((wait) => wait !== undefined)
      if (waits.length > 0) requeueAfter(Math.min(...waits))
    },
  }

  function release(pod: ApiObject): void {
    const current = pods.get(`${pod.metadata.namespace}/${pod.metadata.name}`)
    if (current?.metadata.uid !== pod.metadata.uid || current === undefined) return
    const remaining = (current.metadata.finalizers ?? []).filter((each) => each !== TRACKING_FINALIZER)
    writer.update(
      '/pods',
      current,
      withMetadata(current, { finalizers: remaining.length === 0 ? undefined : remaining }),
    )
  }

  /** Returns the pods with a tracking finalizer of a Job that is finished or gone, and will not count them. */
  function trackedPods(key: string, job: ApiObject | undefined): readonly ApiObject[] {
    const all = job === undefined ? pods.list() : owners.ownedObjects(job.metadata.uid ?? '', '/pods')
    return all.filter(
      (pod) => pod.metadata.finalizers?.includes(TRACKING_FINALIZER) === true && controllerKey(pod, 'Job')[0] === key,
    )
  }

  function deleteAfterTtl(job: ApiObject, requeueAfter: (delayMs: number) => void): void {
    const seconds = numberAt(job, 'spec', 'ttlSecondsAfterFinished')
    if (seconds === undefined || job.metadata.deletionTimestamp !== undefined) return
    const leftMs = finishedAt(job) + seconds * 1000 - context.clock.now()
    if (leftMs > 0) requeueAfter(leftMs)
    else writer.remove('batch/jobs', job, { propagationPolicy: 'Foreground' })
  }
}

function finishedAt(job: ApiObject): number {
  const end = listAt(job, 'status', 'conditions').find((each) =>
    ['Complete', 'Failed'].includes(stringAt(each, 'type')),
  )
  return Date.parse(stringAt(end, 'lastTransitionTime'))
}

function podOf(job: ApiObject, index: number | undefined): ApiObject {
  const finalizers = [TRACKING_FINALIZER]
  if (index === undefined) return podFromTemplate(job, { finalizers })
  const text = String(index)
  const name = job.metadata.name ?? ''
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX_KEY}']` } },
  }
  const pod = podFromTemplate(job, {
    finalizers,
    labels: { [INDEX_KEY]: text },
    annotations: { [INDEX_KEY]: text },
    spec: (spec) => ({
      ...withContainers(spec, (container) => ({ ...container, env: [...listAt(container, 'env'), variable] })),
      hostname: `${name.slice(0, 62 - text.length)}-${text}`,
    }),
  })
  return withMetadata(pod, { generateName: `${name}-${text}-` })
}
