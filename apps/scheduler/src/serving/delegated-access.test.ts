import type { ResourceRef } from '@berth/k8s-client'
import { type KubernetesObject, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createDelegatedAccess } from './delegated-access.ts'

const token = (text: string | undefined) => ({ path: '/metrics', token: text, isLoopback: true })

/** An API server that knows the token `good` of the user `monitor`, who may read /metrics. */
function start() {
  const asked: string[] = []
  let nowMs = 0
  let isDown = false
  const create = async <T extends KubernetesObject>({ kind }: ResourceRef, object: T): Promise<T> => {
    if (isDown) throw new Error('no answer')
    const { spec } = object as T & { spec: { token?: string; user?: string; groups?: readonly string[] } }
    asked.push(`${kind} ${spec.token ?? `${spec.user} ${spec.groups?.join(' ')}`}`)
    const isReview = kind === 'TokenReview'
    const user = { username: 'monitor', groups: ['system:authenticated'] }
    const status = isReview ? { authenticated: spec.token !== 'bad', user } : { allowed: spec.user === 'monitor' }
    return { ...object, status }
  }
  const access = createDelegatedAccess({
    authentication: { create },
    authorization: { create },
    clock: { monotonic: () => nowMs },
    log: silentLogger,
  })
  return { access, asked, pass: (ms: number) => (nowMs += ms), break: () => (isDown = true) }
}

describe('createDelegatedAccess', () => {
  test('admits the user of a token that may read the path', async () => {
    const { access, asked } = start()
    expect(await access(token('good'))).toBeUndefined()
    expect(asked).toEqual(['TokenReview good', 'SubjectAccessReview monitor system:authenticated'])
  })

  test('refuses an unknown token with 401', async () => {
    expect(await start().access(token('bad'))).toMatchObject({ status: 401 })
  })

  test('decides about a request without a token as about system:anonymous', async () => {
    const { access, asked } = start()
    expect(await access(token(undefined))).toMatchObject({
      status: 403,
      reason: expect.stringContaining('"system:anonymous" cannot get path "/metrics"') as string,
    })
    expect(asked).toEqual(['SubjectAccessReview system:anonymous system:unauthenticated'])
  })

  test('asks again after ten seconds', async () => {
    const { access, asked, pass } = start()
    await access(token('good'))
    pass(9_999)
    await access(token('good'))
    expect(asked).toHaveLength(2)
    pass(1)
    await access(token('good'))
    expect(asked).toHaveLength(4)
  })

  test('refuses while the API server does not answer, and does not remember it', async () => {
    const down = start()
    down.break()
    expect(await down.access(token('good'))).toMatchObject({ status: 500 })
    const up = start()
    expect(await up.access(token('good'))).toBeUndefined()
  })
})
