import { caseGroup, type CaseGroup, type SendOptions } from '../runner/conformance-case.ts'
import { pod } from '../manifests/manifests.ts'

const as = (user: string, ...groups: readonly string[]): SendOptions => ({
  headers: { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }) },
})
/** Authentication: impersonation, service account tokens, token reviews. */
export const identities: CaseGroup = caseGroup('identity', {
  'who-am-i': async (session) => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    await session.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, {
      ...as('jane', 'one'),
      show: ({ status }) => [status.userInfo.username, status.userInfo.groups.toSorted()],
    })
    const account = `system:serviceaccount:${session.namespace}:default`
    await session.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, {
      ...as(account),
      show: ({ status }) => [status.userInfo.username, status.userInfo.groups.toSorted()],
    })
  },
  'impersonation-is-a-right': async (session) => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const { body } = await session.post(
      session.at('serviceaccounts', 'default', 'token'),
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      { isQuiet: true },
    )
    const { token } = body.status
    const headers = { 'impersonate-user': 'jane' }
    await session.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, { headers, token })
  },
  token: async ({ at, name, post }) => {
    await post(at('serviceaccounts'), { metadata: { name } }, { isQuiet: true })
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 700, audiences: ['a'] },
    }
    await post(at('serviceaccounts', name, 'token'), request, {
      show: ({ metadata, spec, status }) => [metadata.name, spec, Object.keys(status).toSorted()],
    })
    await post(at('serviceaccounts', 'none', 'token'), request)
    await post(at('serviceaccounts', name, 'token'), { ...request, spec: { expirationSeconds: 5 } })
  },
  'token-is-somebody': async (session) => {
    const { at, post, get } = session
    const { body } = await post(
      at('serviceaccounts', 'default', 'token'),
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      { isQuiet: true },
    )
    const { token } = body.status
    await get(at('configmaps'), { token })
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, {
      token,
      show: ({ status }) => [
        status.userInfo.username,
        status.userInfo.groups.toSorted(),
        Object.keys(status.userInfo.extra),
      ],
    })
  },
  'token-bound-to-a-pod': async ({ at, name, post }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const bound = (podName: string): object => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: podName } },
    })
    const { body } = await post(at('serviceaccounts', 'default', 'token'), bound(name), { isQuiet: true })
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: body.status.token } }
    await post('/apis/authentication.k8s.io/v1/tokenreviews', review, {
      show: ({ status }) => [status.authenticated, status.user.username, Object.keys(status.user.extra).toSorted()],
    })
    await post(at('serviceaccounts', 'default', 'token'), bound('none'))
  },
  'nonsense-token': async ({ at, get, post }) => {
    await get(at('configmaps'), { token: 'nonsense' })
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'nonsense' } }
    await post('/apis/authentication.k8s.io/v1/tokenreviews', review, {
      show: ({ status }) => [status.authenticated ?? false, status.user],
    })
  },
})
