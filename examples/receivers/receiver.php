<?php
/**
 * Webhook receiver for PHP, without dependencies. It verifies each request and writes the event to standard error.
 * Start it with: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9000 examples/receivers/receiver.php
 */

/**
 * Returns true if the header X-Svc-Signature is the signature of the raw body, and at most 300 s old.
 * $secret is the whole whsec_… secret of the instance.
 */
function is_genuine(string $body, string $header, string $secret): bool {
    $t = preg_match('/(?:^|,)t=(\d+)/', $header, $found) ? $found[1] : '';
    if ($t === '' || abs(time() - (int) $t) > 300) return false;
    $mine = hash_hmac('sha256', "$t.$body", $secret);
    preg_match_all('/(?:^|,)v1=([0-9a-f]+)/', $header, $found);
    foreach ($found[1] as $v1) if (hash_equals($mine, $v1)) return true;
    return false;
}

if (PHP_SAPI === 'cli-server') {
    $body = file_get_contents('php://input');
    $genuine = is_genuine($body, $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '', (string) getenv('WEBHOOK_SECRET'));
    http_response_code($genuine ? 200 : 401);
    if ($genuine) {
        // A real receiver puts the event into a queue here, and drops it if it knows the event_id.
        $event = json_decode($body, true);
        file_put_contents('php://stderr', "{$event['type']} {$event['event_id']}\n");
    }
}
