import type { StrategyContext } from '../kinds/strategy.ts'
import { isObject, listAt, own, stringAt, valueAt, withField, type JsonObject } from '../../schema/json/json-object.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import { createSuffix } from '../../store/generated-metadata.ts'
import { storageKey, type ApiObject } from '../../schema/json/api-object.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const SOURCES = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
]

/**
 * The spec with a service account and the volume of its token, mounted into every container that has nothing there.
 *
 * @see kubernetes plugin/pkg/admission/serviceaccount (v1.36)
 * @throws BERTH_SIMULATOR_REFUSED (403) where the named account does not exist. `default` may come later: the
 *   simulated controllers make it, and tests run servers without them.
 */
export function withServiceAccount(spec: JsonObject, pod: ApiObject, context: StrategyContext): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount') || 'default'
  const { namespace = '' } = pod.metadata
  const account = context.store.collection('/serviceaccounts').get(storageKey(namespace, name))
  if (account === undefined && name !== 'default') {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  const pulls = listAt(account, 'imagePullSecrets')
  const named = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(listAt(spec, 'imagePullSecrets').length === 0 && pulls.length > 0 ? { imagePullSecrets: pulls } : {}),
  }
  const mounts = own(spec, 'automountServiceAccountToken') ?? valueAt(account, 'automountServiceAccountToken')
  return account === undefined || mounts === false ? named : withToken(named, context)
}

function withToken(spec: JsonObject, { random }: StrategyContext): JsonObject {
  const lacks = (container: unknown): boolean =>
    !listAt(container, 'volumeMounts').some((mount) => own(mount, 'mountPath') === MOUNT_PATH)
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  if (!containers.some(lacks)) return spec
  const name = `kube-api-access-${createSuffix(random, 5)}`
  const mounted = (container: unknown): unknown =>
    isObject(container) && lacks(container)
      ? withField(container, 'volumeMounts', [
          ...listAt(container, 'volumeMounts'),
          { name, readOnly: true, mountPath: MOUNT_PATH },
        ])
      : container
  return {
    ...spec,
    volumes: [...listAt(spec, 'volumes'), { name, projected: { sources: SOURCES, defaultMode: 420 } }],
    containers: listAt(spec, 'containers').map(mounted),
    ...(own(spec, 'initContainers') === undefined
      ? {}
      : { initContainers: listAt(spec, 'initContainers').map(mounted) }),
  }
}
