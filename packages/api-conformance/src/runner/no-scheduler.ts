/** Scheduler name of the cases' pods. No scheduler and no kubelet handles these pods, so only the case changes them. */
export const NO_SCHEDULER = 'exchanges.example.com'
