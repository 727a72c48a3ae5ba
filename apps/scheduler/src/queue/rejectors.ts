/** The rejector that represents all extenders, as in kube-scheduler. */
export const EXTENDER_REJECTOR = 'Extender'

/** The rejector of pods for which a contributed plugin did not return. The plugin's own queueing hint is not called. */
export const HUNG_REJECTOR = 'HungPlugin'

/** The rejector of pods that use a feature that is not implemented. */
export const UNSUPPORTED_REJECTOR = 'UnsupportedFeatures'

/**
 * The rejector of members that wait for their pod group, under kube-scheduler's name of the plugin. Changes of the group
 * requeue them, and attempts of other members include them.
 */
export const GANG_SCHEDULING = 'GangScheduling'
