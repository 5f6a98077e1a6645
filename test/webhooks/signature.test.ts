/** What is signed, and how: by the example of the standard itself. */
import { expect, test } from 'vitest'
import { signatureHeaders } from '../../src/handlers/webhook/signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const example = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  sentAt: 1_614_265_330_000,
}

// From the standard's own libraries (standard-webhooks/standard-webhooks, libraries/*/tests).
test('the example of the standard has the signature that it gives', () => {
  expect(signatureHeaders(example, [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('while several secrets hold, each has a signature of its own', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const both = signatureHeaders(example, [other, secret])['webhook-signature'] ?? ''
  const alone = (key: string) => signatureHeaders(example, [key])['webhook-signature']
  expect(both.split(' ')).toEqual([alone(other), alone(secret)])
})
