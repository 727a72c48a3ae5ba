import { describe, expect, test } from 'vitest'
import { redactCredentials } from './redact-credentials.ts'

const metadata = { name: 'a', namespace: 'default' }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.storage.k8s.io' },
  spec: {
    group: 'storage.k8s.io',
    names: { kind: 'Database' },
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: {
                properties: {
                  pin: { type: 'string', format: 'password' },
                  pins: { type: 'array', items: { type: 'string', format: 'password' } },
                  byUser: { additionalProperties: { type: 'string', format: 'password' } },
                },
              },
            },
          },
        },
      },
    ],
  },
}

function custom(spec: unknown, apiVersion = 'example.com/v1'): Record<string, unknown> {
  return { apiVersion, kind: 'Database', metadata, spec }
}

describe('redactCredentials', () => {
  test('replaces what the schema of a custom resource declares as a password', () => {
    const spec = { pin: '1234', pins: ['5', '6'], byUser: { ann: 'x' }, size: '3' }
    const { objects, redacted } = redactCredentials([definition, custom(spec, 'storage.k8s.io/v1')])
    const pin = 'REDACTED'
    expect(objects).toEqual([
      definition,
      custom({ pin, pins: [pin, pin], byUser: { ann: pin }, size: '3' }, 'storage.k8s.io/v1'),
    ])
    expect([...redacted]).toEqual([['Database.storage.k8s.io', 4]])
  })

  test.for([
    'password',
    'adminPassword',
    'DB_PASSWORD',
    'smtp-passwd',
    'passphrase',
    'clientSecret',
    'secretAccessKey',
    'privateKey',
    'api_key',
    'accessToken',
    'token',
  ])('replaces the text under %s, and the value of a variable of this name', (key) => {
    const { objects } = redactCredentials([
      custom({ auth: { [key]: 'hunter2' }, env: [{ name: key, value: 'hunter2' }] }),
    ])
    expect(objects).toEqual([custom({ auth: { [key]: 'REDACTED' }, env: [{ name: key, value: 'REDACTED' }] })])
  })

  test('replaces private keys and passwords in URLs', () => {
    const spec = {
      pem: '-----BEGIN RSA PRIVATE KEY-----\nx',
      urls: ['postgres://ann:hunter2@db:5432/a, redis://:hunter2@cache', 'https://example.com:8080/a@b'],
    }
    expect(redactCredentials([custom(spec)]).objects).toEqual([
      custom({
        pem: 'REDACTED',
        urls: ['postgres://ann:REDACTED@db:5432/a, redis://:REDACTED@cache', 'https://example.com:8080/a@b'],
      }),
    ])
  })

  test.for([
    ['the key of OpenPGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\nx'],
    ['a private key in base64', btoa('-----BEGIN EC PRIVATE KEY-----\nx')],
    ['a kubeconfig with a key', `client-key-data: ${btoa('-----BEGIN PRIVATE KEY-----\nx')}\n`],
  ])('replaces %s', ([, text]) => {
    const certificate = btoa('-----BEGIN CERTIFICATE-----\nPRIVATE KEY')
    expect(redactCredentials([custom({ text, certificate })]).objects).toEqual([
      custom({ text: 'REDACTED', certificate }),
    ])
  })

  test('replaces the whole password of a URL, also one with an @', () => {
    const spec = { url: 'postgres://ann:hunter@2@db:5432/a' }
    expect(redactCredentials([custom(spec)]).objects).toEqual([custom({ url: 'postgres://ann:REDACTED@db:5432/a' })])
  })

  test('replaces the value below a key that names a credential, and keeps the reference beside it', () => {
    const reference = { secretKeyRef: { name: 'db', key: 'password' } }
    const spec = { password: { value: 'hunter2', valueFrom: reference }, tokens: [{ value: 'a' }] }
    expect(redactCredentials([custom(spec)]).objects).toEqual([
      custom({ ...spec, password: { value: 'REDACTED', valueFrom: reference } }),
    ])
  })

  test('reads each character of a long text a bounded number of times', () => {
    const text = 'a'.repeat(200_000)
    expect(redactCredentials([custom({ text })]).redacted.size).toBe(0)
  })

  test('keeps references, names, empty texts and what is not a text', () => {
    const spec = {
      passwordSecretRef: { name: 'db', key: 'password' },
      tokenKey: 'token',
      secretName: 'db',
      secretKey: 'property',
      privateKey: { algorithm: 'ECDSA' },
      json: '{"url":"http://example.com:80","mail":"ann@example.com"}',
      password: '',
      generatePassword: true,
      tokens: 'many',
    }
    const objects = [custom(spec)]
    expect(redactCredentials(objects)).toEqual({ objects, redacted: new Map() })
  })

  test.for(['v1', 'apps/v1', 'networking.k8s.io/v1'])('keeps built-in kinds of %s as they are', (apiVersion) => {
    const objects = [custom({ password: 'x' }, apiVersion)]
    expect(redactCredentials(objects).objects).toEqual(objects)
  })

  test('keeps the metadata of a custom resource, which says who owns it', () => {
    const object = { ...custom({ password: 'x' }), metadata: { ...metadata, labels: { token: 'a' } } }
    expect(redactCredentials([object]).objects).toEqual([{ ...object, spec: { password: 'REDACTED' } }])
  })
})
