import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startKubectlSession, type KubectlSession } from './kubectl-session.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: seats.licences.example.com
spec:
  group: licences.example.com
  scope: Namespaced
  names: {plural: seats, singular: seat, kind: Seat, shortNames: [st], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.taken}
    additionalPrinterColumns:
    - {name: Count, type: integer, jsonPath: .spec.count}
    - {name: Vendor, type: string, jsonPath: .spec.vendor, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: Seats of a licence.
        properties:
          spec:
            type: object
            required: [count]
            properties:
              count: {type: integer, minimum: 0, description: How many there are.}
              vendor: {type: string, default: none}
          status:
            type: object
            properties:
              taken: {type: integer}
`
const seat = (count: number | string): string => `apiVersion: licences.example.com/v1
kind: Seat
metadata:
  name: cad
spec:
  count: ${count}
`

let session: KubectlSession

beforeAll(async () => {
  session = await startKubectlSession(1)
})

afterAll(async () => {
  await session[Symbol.asyncDispose]()
})

/** Runs kubectl, expects it to succeed, and returns its output. */
async function kubectl(command: string, stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await session.run(command.split(' '), { stdin })
  expect(stderr).not.toContain('rror')
  expect(code).toBe(0)
  return stdout
}

describe('kubectl 1.35 with custom resources', () => {
  test('applies a definition, waits for it and lists it in the API resources', async () => {
    await kubectl('apply -f -', DEFINITION)
    await kubectl('wait --for=condition=Established crd/seats.licences.example.com --timeout=60s')
    expect(await kubectl('api-resources --api-group=licences.example.com')).toMatch(
      /^seats +st +licences\.example\.com\/v1 +true +Seat$/m,
    )
  })

  test('explains its fields', async () => {
    const text = await kubectl('explain seats.spec')
    expect(text).toContain('KIND:       Seat')
    expect(text).toMatch(/count\t<integer> -required-\n +How many there are\./)
  })

  test('applies, lists, scales, describes and edits an object of it', async () => {
    expect(await kubectl('apply -f -', seat(3))).toBe('seat.licences.example.com/cad created\n')
    expect(await kubectl('get st')).toMatch(/^NAME +COUNT\ncad +3\n$/)
    expect(await kubectl('get st -o wide')).toMatch(/^NAME +COUNT +VENDOR\ncad +3 +none\n$/)
    expect(await kubectl('get all -o name')).toContain('seat.licences.example.com/cad\n')
    expect(await kubectl('scale seat cad --replicas=5')).toContain('scaled')
    expect(await kubectl('describe seat cad')).toMatch(/Spec:\n +Count: +5\n +Vendor: +none\n/)
    expect(await kubectl('patch seat cad --type=merge -p {"spec":{"count":6}}')).toContain('patched')
    expect(await kubectl('apply -f -', seat(7))).toContain('configured')
    expect(await kubectl('get seat cad -o jsonpath={.metadata.generation}')).toBe('4')
  })

  test('reports errors of an object', async () => {
    const { code, stderr } = await session.run(['apply', '-f', '-'], { stdin: seat(-1) })
    expect(code).toBe(1)
    expect(stderr).toContain('spec.count: Invalid value: -1: spec.count in body should be greater than or equal to 0')
  })

  test('applies server-side, with a conflict of another field manager', async () => {
    await kubectl('apply --server-side --force-conflicts -f -', seat(8))
    const { code, stderr } = await session.run(['apply', '--server-side', '--field-manager=other', '-f', '-'], {
      stdin: seat(9),
    })
    expect(code).toBe(1)
    expect(stderr).toContain('conflict with "kubectl": .spec.count')
  })

  test('deletes the definition with its objects', async () => {
    await kubectl('delete crd seats.licences.example.com --timeout=60s')
    const { code, stderr } = await session.run(['get', 'seats'])
    expect(code).toBe(1)
    expect(stderr).toContain('could not find the requested resource')
  })
})
