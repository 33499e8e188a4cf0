count(); throw new Error('thrown');
