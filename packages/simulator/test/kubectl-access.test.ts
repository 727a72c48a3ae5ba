import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startKubectlSession, type KubectlSession } from './kubectl-session.ts'

let session: KubectlSession

beforeAll(async () => {
  session = await startKubectlSession(1, { rbac: true })
})

afterAll(async () => {
  await session[Symbol.asyncDispose]()
})

async function output(command: string): Promise<string> {
  const { stdout, stderr } = await session.run(command.split(' '))
  return stdout + stderr
}

describe('kubectl 1.35 with RBAC', () => {
  test('returns the user, also with impersonation', async () => {
    expect(await output('auth whoami')).toMatch(/Username +kubernetes-admin/)
    expect(await output('auth whoami --as=jane --as-group=crew')).toMatch(
      /Username +jane\nGroups +\[crew system:authenticated\]/,
    )
  })

  test('returns permissions before and after a role is bound', async () => {
    expect(await output('auth can-i list pods --as=jane')).toContain('no')
    expect(await output('get pods --as=jane')).toContain(
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    )
    await output('create role reader --verb=get,list --resource=pods')
    await output('create rolebinding reader --role=reader --user=jane')
    expect(await output('auth can-i list pods --as=jane')).toBe('yes\n')
    expect(await output('auth can-i --list --as=jane')).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m)
    expect(await output('get pods --as=jane')).toContain('No resources found')
  })

  test('has the user-facing default roles', async () => {
    await output('create rolebinding keeper --clusterrole=edit --user=john')
    expect(await output('auth can-i delete deployments --as=john')).toBe('yes\n')
    expect(await output('auth can-i create roles --as=john')).toContain('no')
    expect(await output('auth can-i delete deployments --as=john -n kube-system')).toContain('no')
  })

  test('creates a review from a file', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } }
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
    const created = await session.run(['create', '-f', '-', '-o', 'jsonpath={.status.allowed}'], {
      stdin: JSON.stringify(review),
    })
    expect(created.stdout).toBe('true')
  })

  test('requests a token for a service account', async () => {
    const token = (await output('create token default')).trim()
    expect(token.split('.')).toHaveLength(3)
  })
})
