# What Raku does with MoarVM's event loop, one feature after the other.  Each prints one
# line; nothing printed depends on time or on the machine.

my $features = 0;
sub feature($name, &work) {
    $features++;
    my $result = await Promise.anyof((my $done = start { work() }), Promise.in(30)).then({
        $done.status ~~ Kept ?? $done.result !! $done.status ~~ Broken ?? "FAILED {$done.cause.message}" !! 'FAILED no end'
    });
    say "$name: $result";
}

sub echo-server() {
    my $tap = IO::Socket::Async.listen('127.0.0.1', 0).tap(-> $client {
        $client.Supply(:bin).tap(-> $bytes { $client.write($bytes) }, done => { $client.close });
    });
    $tap, await $tap.socket-port;
}

feature 'many connections to an echo server', {
    my ($server, $port) = echo-server;
    my @alike = await (^30).map: -> $n { start {
        my $client = await IO::Socket::Async.connect('127.0.0.1', $port);
        my $sent = "x$n " x 2000;
        my ($got, $whole) = Buf.new, Promise.new;
        $client.Supply(:bin).tap({ $got.append($_); $whole.keep if $got.elems == $sent.chars });
        await $client.print($sent);
        await $whole;
        $client.close;
        $got.decode eq $sent
    } };
    $server.close;
    "{+@alike.grep(*.so)} of 30 alike"
}

feature 'a connection that is refused', {
    my $answer = 'connected';
    { await IO::Socket::Async.connect('127.0.0.1', 1); CATCH { default { $answer = .message } } }
    $answer
}

feature 'a name that is none', {
    my $answer = 'connected';
    { await IO::Socket::Async.connect('no-such-name.invalid', 1); CATCH { default { $answer = 'refused' } } }
    $answer
}

feature 'datagrams', {
    my ($server, $port) = echo-server; # a port that is free
    $server.close;
    my $receiver = IO::Socket::Async.bind-udp('127.0.0.1', $port);
    my ($count, $all) = 0, Promise.new;
    my $tap = $receiver.Supply.tap({ $all.keep if ++$count == 50 });
    my $sender = IO::Socket::Async.udp;
    await $sender.print-to('127.0.0.1', $port, "datagram $_") for ^50;
    await $all;
    .close for $tap, $receiver, $sender;
    "$count came"
}

feature 'children with all three pipes', {
    (^3).map(-> $n {
        my $child = Proc::Async.new(:w, 'sh', '-c', "cat; echo error $n >&2; exit $n");
        my ($out, $err) = '', '';
        $child.stdout.tap({ $out ~= $_ });
        $child.stderr.tap({ $err ~= $_ });
        my $end = $child.start;
        await $child.ready;
        await $child.print("line\n" x 20000);
        $child.close-stdin;
        my $how = await $end;
        "{$out.chars} characters, {$err.trim}, code {$how.exitcode}"
    }).join('; ')
}

feature 'forty children at once', {
    my @numbers = await (^40).map: -> $n {
        my $child = Proc::Async.new('sh', '-c', "echo $n");
        my $out = '';
        $child.stdout.tap({ $out ~= $_ });
        $child.start.then({ $out.trim.Int })
    };
    @numbers.sum
}

feature 'a child that is killed', {
    my $child = Proc::Async.new('sleep', '100');
    my $end = $child.start;
    await $child.ready;
    $child.kill(SIGTERM);
    "signal {(await $end).signal}"
}

feature 'a program that is none', {
    my $answer = 'started';
    { await Proc::Async.new('/no/such/program').start; CATCH { default { $answer = .message } } }
    $answer
}

feature 'run and wait', {
    my $child = run 'tr', 'a-z', 'A-Z', :in, :out;
    $child.in.print('abc');
    $child.in.close;
    "{$child.out.slurp(:close)}, {qx{echo hi}.trim}, code {run('sh', '-c', 'exit 7').exitcode}"
}

feature 'timers in order', {
    my @order;
    await Promise.in(.05).then({ @order.push(1) }), Promise.in(.3).then({ @order.push(3) }),
          Promise.in(.15).then({ @order.push(2) });
    @order.join(' ')
}

feature 'an interval', {
    my ($ticks, $enough) = 0, Promise.new;
    my $tap = Supply.interval(.005).tap({ $enough.keep if ++$ticks == 20 });
    await $enough;
    $tap.close;
    'ticked'
}

feature 'react until done', {
    my $seen = 0;
    react { whenever Supply.interval(.005) { $seen++; done if $_ == 5 } }
    $seen
}

feature 'a watched directory', {
    my $directory = $*CWD.add('watched');
    $directory.mkdir;
    my ($seen, $told) = SetHash.new, Promise.new;
    my $tap = IO::Notification.watch-path($directory.Str).tap({
        $seen.set(.path.IO.basename);
        $told.keep if $told.status ~~ Planned && $seen.elems == 2;
    });
    until $told.status ~~ Kept { # watching begins on the loop's thread, some time
        $directory.add($_).spurt('text') for <one two>;
        await Promise.anyof($told, Promise.in(.1));
    }
    $tap.close;
    $seen.keys.sort.join(' ')
}

feature 'a signal', {
    my $caught = Promise.new;
    my $tap = signal(SIGUSR1).tap({ $caught.keep if $caught.status ~~ Planned });
    run 'kill', '-USR1', $*PID;
    await $caught;
    $tap.close;
    'caught'
}

say "$features features";
