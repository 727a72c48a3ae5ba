import type { StrategyContext } from '../kinds/strategy.ts'
import { isObject, listAt, own, stringAt, valueAt, withField, type JsonObject } from '../../schema/json/json-object.ts'
import { forbidden } from '../../schema/status/api-errors.ts'
import { createSuffix } from '../../store/generated-metadata.ts'
import { storageKey, type ApiObject } from '../../schema/json/api-object.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const PODS = { group: '', plural: 'pods', kind: 'Pod' }
const TOKEN_SOURCES = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
]

/**
 * Returns the spec with a service account and a volume with its token. The volume is mounted into every container that
 * mounts nothing else at that path.
 *
 * @see kubernetes plugin/pkg/admission/serviceaccount (v1.36)
 * @throws BERTH_SIMULATOR_REFUSED (403) if the named account does not exist. The account `default` may be missing: the
 *   embedded controllers create it, and tests run servers without them.
 */
export function withServiceAccount(spec: JsonObject, pod: ApiObject, context: StrategyContext): JsonObject {
  const name = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount') || 'default'
  const { namespace = '' } = pod.metadata
  const account = context.store.collection('/serviceaccounts').get(storageKey(namespace, name))
  if (account === undefined && name !== 'default') {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  const pullSecrets = listAt(account, 'imagePullSecrets')
  const named = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(listAt(spec, 'imagePullSecrets').length === 0 && pullSecrets.length > 0
      ? { imagePullSecrets: pullSecrets }
      : {}),
  }
  const mounts = own(spec, 'automountServiceAccountToken') ?? valueAt(account, 'automountServiceAccountToken')
  return account === undefined || mounts === false ? named : withTokenVolume(named, context)
}

function withTokenVolume(spec: JsonObject, { random }: StrategyContext): JsonObject {
  const lacksMount = (container: unknown): boolean =>
    !listAt(container, 'volumeMounts').some((mount) => own(mount, 'mountPath') === MOUNT_PATH)
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  if (!containers.some(lacksMount)) return spec
  const name = `kube-api-access-${createSuffix(random, 5)}`
  const withMount = (container: unknown): unknown =>
    isObject(container) && lacksMount(container)
      ? withField(container, 'volumeMounts', [
          ...listAt(container, 'volumeMounts'),
          { name, readOnly: true, mountPath: MOUNT_PATH },
        ])
      : container
  return {
    ...spec,
    volumes: [...listAt(spec, 'volumes'), { name, projected: { sources: TOKEN_SOURCES, defaultMode: 420 } }],
    containers: listAt(spec, 'containers').map(withMount),
    ...(own(spec, 'initContainers') === undefined
      ? {}
      : { initContainers: listAt(spec, 'initContainers').map(withMount) }),
  }
}
