import { expect, test } from 'vitest'
import { QuantityError, resourcesErrors, type QuantityErrorCode } from './errors.ts'

test('the catalogue lists every code once', () => {
  const codes: readonly QuantityErrorCode[] = [
    'BERTH_QUANTITY_FORMAT',
    'BERTH_QUANTITY_NUMERIC',
    'BERTH_QUANTITY_SUFFIX',
    'BERTH_QUANTITY_TOO_LARGE',
  ]
  expect(resourcesErrors.map(({ code }) => code)).toEqual(codes)
  for (const code of codes)
    expect(new QuantityError(code, 'x')).toMatchObject({ code, name: 'QuantityError', retryable: false })
})
