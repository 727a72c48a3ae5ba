export { exchangeGroups } from './exchanges/all-exchanges.ts'
export type { Exchange, ExchangeGroup, ExchangeTarget, Transcript } from './exchanges/exchange.ts'
export { openStage, type Stage } from './exchanges/play-group.ts'
export { declaredDifferences, readRecording } from './exchanges/recordings.ts'
