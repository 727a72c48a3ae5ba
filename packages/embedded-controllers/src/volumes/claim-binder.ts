import { type ApiObject, stringAt, valueAt } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'

const VOLUMES = '/persistentvolumes'
const CLAIMS = '/persistentvolumeclaims'
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'

/**
 * Binds claims to the volumes that a scheduler or a provisioner reserved for them: volumes whose claimRef has the uid of
 * the claim. It does not search volumes for claims, provision or reclaim.
 *
 * @see kubernetes/kubernetes pkg/controller/volume/persistentvolume/pv_controller.go syncVolume, bind (v1.36)
 */
export function claimBinder({ context, writer }: ControllerDependencies): Controller {
  const volumes = context.store.collection(VOLUMES)
  const claims = context.store.collection(CLAIMS)
  const claimKeyOf = (volume: ApiObject): string =>
    `${stringAt(volume, 'spec', 'claimRef', 'namespace') ?? ''}/${stringAt(volume, 'spec', 'claimRef', 'name') ?? ''}`

  const bindClaim = (claim: ApiObject, volume: ApiObject): void => {
    const { name } = volume.metadata
    const { annotations } = claim.metadata
    const bound =
      stringAt(claim, 'spec', 'volumeName') === name && annotations?.[BIND_COMPLETED] !== undefined
        ? claim
        : writer.update(CLAIMS, claim, {
            ...claim,
            metadata: {
              ...claim.metadata,
              annotations: { [BOUND_BY_CONTROLLER]: 'yes', ...annotations, [BIND_COMPLETED]: 'yes' },
            },
            spec: { ...(valueAt(claim, 'spec') as object), volumeName: name },
          })
    writer.updateStatus(CLAIMS, bound, {
      phase: 'Bound',
      accessModes: valueAt(volume, 'spec', 'accessModes'),
      capacity: valueAt(volume, 'spec', 'capacity'),
    })
  }

  return {
    name: 'claim-binder',
    storages: [VOLUMES, CLAIMS],
    keysFor(storage, { type, key, object }) {
      if (storage === VOLUMES) return type === 'DELETED' ? [] : [key]
      const claimKey = `${object.metadata.namespace}/${object.metadata.name}`
      return volumes
        .list()
        .filter((volume) => claimKeyOf(volume) === claimKey)
        .map(({ metadata }) => metadata.name ?? '')
    },
    reconcile(key) {
      const volume = volumes.get(key)
      const uid = volume && stringAt(volume, 'spec', 'claimRef', 'uid')
      if (volume === undefined || uid === undefined) return
      const claim = claims.get(claimKeyOf(volume))
      if (claim === undefined || claim.metadata.uid !== uid) return
      const volumeName = stringAt(claim, 'spec', 'volumeName') ?? ''
      if (volumeName !== '' && volumeName !== key) return
      writer.updateStatus(VOLUMES, volume, { ...(valueAt(volume, 'status') as object | undefined), phase: 'Bound' })
      bindClaim(claim, volume)
    },
  }
}
